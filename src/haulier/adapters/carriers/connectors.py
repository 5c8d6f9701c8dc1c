"""Carrier connectors: the kind of a carrier and the function that opens it."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, convert

from haulier.adapters.carriers.label_pictures import LabelPictures
from haulier.adapters.carriers.tokens import TokenCache
from haulier.adapters.carriers.wire import Clients
from haulier.contexts.shipping.ports import Carrier, CarrierKind, CarrierService


class Line(Struct, frozen=True):
    """Resources shared by all carrier accounts.

    `simulator` is the address of `haulier simulate carrier`, for test mode. `pictures` converts labels that a carrier
    sells as pictures. It is None if no file reader for pictures is installed.
    """

    clients: Clients
    tokens: TokenCache
    simulator: str | None = None
    pictures: LabelPictures | None = None

    def address(self, test_mode: bool, live: str, sandbox: str, simulated: str) -> str:
        """Return the address of the carrier, or of its sandbox in test mode.

        A simulator, at the path `simulated`, replaces the sandbox.
        """
        if not test_mode:
            return live
        return self.simulator.rstrip("/") + simulated if self.simulator else sandbox


OpenCarrier = Callable[[Mapping[str, str], bool, Line], Carrier]


class Connector(Struct, frozen=True):
    """Carrier for which accounts can be opened.

    `open` takes the credentials by name, the test mode, and the shared line. It makes no request yet.
    """

    kind: CarrierKind
    open: OpenCarrier


def read_services(file: Path) -> tuple[CarrierService, ...]:
    """Return the table of a carrier's services, from the TOML file next to its module."""
    return convert(tomllib.loads(file.read_text(encoding="utf-8"))["services"], tuple[CarrierService, ...])
