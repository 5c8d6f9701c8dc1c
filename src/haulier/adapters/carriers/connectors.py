"""What makes a carrier known to the installation: its kind, and how it is opened."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, convert

from haulier.adapters.carriers.label_pictures import LabelPictures
from haulier.adapters.carriers.tokens import TokenCache
from haulier.adapters.carriers.wire import Clients
from haulier.contexts.shipping.ports import Carrier, CarrierKind, CarrierService


class Line(Struct, frozen=True):
    """The way to carriers that all accounts share. `simulator`: the address of `haulier simulate carrier`, for test mode.

    `pictures` draws labels that a carrier sells as pictures; None where nothing reads pictures.
    """

    clients: Clients
    tokens: TokenCache
    simulator: str | None = None
    pictures: LabelPictures | None = None

    def address(self, test_mode: bool, live: str, sandbox: str, simulated: str) -> str:
        """Where to ask: the carrier, its sandbox, or the simulator's path `simulated` in place of the sandbox."""
        if not test_mode:
            return live
        return self.simulator.rstrip("/") + simulated if self.simulator else sandbox


OpenCarrier = Callable[[Mapping[str, str], bool, Line], Carrier]


class Connector(Struct, frozen=True):
    """A carrier that accounts can be opened with.

    `open` gets the credentials by their names, whether the account is a test one, and the shared line. It asks nothing yet.
    """

    kind: CarrierKind
    open: OpenCarrier


def read_services(file: Path) -> tuple[CarrierService, ...]:
    """The table of a carrier's services, TOML beside its module."""
    return convert(tomllib.loads(file.read_text(encoding="utf-8"))["services"], tuple[CarrierService, ...])
