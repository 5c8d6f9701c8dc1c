"""Directory of the carriers that this installation supports."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

from haulier.adapters.carriers.house import HOUSE_KIND, HouseCarrier
from haulier.contexts.shipping.ports import Carrier, CarrierKind

REMEMBERED_ACCOUNTS = 1024
OpenCarrier = Callable[[Mapping[str, str], bool], Carrier]
KnownCarriers = Iterable[tuple[CarrierKind, OpenCarrier]]


class Carriers:
    """Kinds of carriers with the functions that open their accounts.

    Open accounts are cached with their access tokens. `others` is called when a carrier is first needed, because
    importing all carriers would slow down startup.
    """

    def __init__(self, others: Callable[[], KnownCarriers] = tuple) -> None:
        self._others = others
        self._open = lru_cache(REMEMBERED_ACCOUNTS)(self._open_new)

    @cached_property
    def _known(self) -> dict[str, tuple[CarrierKind, OpenCarrier]]:
        house: tuple[CarrierKind, OpenCarrier] = (HOUSE_KIND, lambda credentials, test_mode: HouseCarrier(credentials))
        # Last, so that no package can take its code.
        return {kind.code: (kind, opened) for kind, opened in (*self._others(), house)}

    @property
    def kinds(self) -> Sequence[CarrierKind]:
        """Return all kinds of carriers, ordered by code."""
        return tuple(kind for _, (kind, _) in sorted(self._known.items(), key=lambda entry: entry[0]))

    def open(self, code: str, credentials: Mapping[str, str], *, test_mode: bool) -> Carrier:
        """Open an account, in the carrier's sandbox if `test_mode`.

        Raises `KeyError` for an unknown code.
        """
        return self._open(code, tuple(sorted(credentials.items())), test_mode)

    def _open_new(self, code: str, credentials: tuple[tuple[str, str], ...], test_mode: bool) -> Carrier:
        _, opened = self._known[code]
        return opened(dict(credentials), test_mode)
