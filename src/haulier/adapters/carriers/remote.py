"""The carriers that are reached over the network, and those of installed packages."""

from collections.abc import Callable, Iterator, Mapping

from haulier.adapters.carriers.connectors import Connector, Line
from haulier.adapters.carriers.label_pictures import LabelPictures
from haulier.adapters.carriers.limited import CALL_LIMIT_S, LimitedCarrier
from haulier.adapters.carriers.tokens import TokenCache
from haulier.adapters.carriers.wire import Clients
from haulier.contexts.shipping.ports import Carrier, CarrierKind
from haulier.extensions import CARRIERS, installed_extensions
from haulier.kernel.file_reading import FileReader

OpenAccount = Callable[[Mapping[str, str], bool], Carrier]
"""Opens an account by its credentials; whether in the carrier's sandbox."""


def remote_carriers(
    simulator: str | None = None, call_limit_s: float = CALL_LIMIT_S, reader: FileReader | None = None
) -> Iterator[tuple[CarrierKind, OpenAccount]]:
    """Kinds of carriers, each with what opens an account. Ours come last: no package takes their codes.

    Accounts in test mode go to `simulator`, the address of `haulier simulate carrier`, where there is one. Every call ends
    within `call_limit_s`. `reader` draws labels that come as pictures.

    Why a generator: it imports the connectors and looks through the installed packages when a carrier is first needed.
    """
    pictures = LabelPictures(reader) if reader else None
    line = Line(Clients(), TokenCache(), simulator, pictures if pictures and pictures.available else None)
    for connector in (*installed_extensions(CARRIERS, Connector).values(), *own_connectors()):
        yield connector.kind, _opener(connector, line, call_limit_s)


def own_connectors() -> tuple[Connector, ...]:
    """UPS, ShipEngine, EasyPost and Canada Post."""
    from haulier.adapters.carriers.canada_post.carrier import CONNECTOR as CANADA_POST
    from haulier.adapters.carriers.easypost.carrier import CONNECTOR as EASYPOST
    from haulier.adapters.carriers.shipengine.carrier import CONNECTOR as SHIPENGINE
    from haulier.adapters.carriers.ups.carrier import CONNECTOR as UPS

    return CANADA_POST, EASYPOST, SHIPENGINE, UPS


def _opener(connector: Connector, line: Line, call_limit_s: float) -> OpenAccount:
    return lambda credentials, test_mode: LimitedCarrier(connector.open(credentials, test_mode, line), call_limit_s)
