"""The carriers that this installation can talk to."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

from haulier.adapters.carriers.house import HOUSE_KIND, HouseCarrier
from haulier.contexts.shipping.ports import Carrier, CarrierKind

REMEMBERED_ACCOUNTS = 1024
OpenCarrier = Callable[[Mapping[str, str], bool], Carrier]
KnownCarriers = Iterable[tuple[CarrierKind, OpenCarrier]]


class Carriers:
    """Kinds of carriers, each with what opens an account. An account stays open, so that it keeps what it was let in with.

    `others` are looked for when a carrier is first needed: to import them all costs a start too much.
    """

    def __init__(self, others: Callable[[], KnownCarriers] = tuple) -> None:
        self._others = others
        self._open = lru_cache(REMEMBERED_ACCOUNTS)(self._open_new)

    @cached_property
    def _known(self) -> dict[str, tuple[CarrierKind, OpenCarrier]]:
        house: tuple[CarrierKind, OpenCarrier] = (HOUSE_KIND, lambda credentials, test_mode: HouseCarrier(credentials))
        # Why last: no package takes the code of the house carrier.
        return {kind.code: (kind, opened) for kind, opened in (*self._others(), house)}

    @property
    def kinds(self) -> Sequence[CarrierKind]:
        """All of them, by code."""
        return tuple(kind for _, (kind, _) in sorted(self._known.items(), key=lambda entry: entry[0]))

    def open(self, code: str, credentials: Mapping[str, str], *, test_mode: bool) -> Carrier:
        """A carrier under an account, in its sandbox for `test_mode`. Raises `KeyError` for an unknown code."""
        return self._open(code, tuple(sorted(credentials.items())), test_mode)

    def _open_new(self, code: str, credentials: tuple[tuple[str, str], ...], test_mode: bool) -> Carrier:
        _, opened = self._known[code]
        return opened(dict(credentials), test_mode)
