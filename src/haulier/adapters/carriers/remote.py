"""Carriers that are reached over the network, including those of packages."""

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
"""Function that opens an account by its credentials, optionally in the sandbox."""


def remote_carriers(
    simulator: str | None = None, call_limit_s: float = CALL_LIMIT_S, reader: FileReader | None = None
) -> Iterator[tuple[CarrierKind, OpenAccount]]:
    """Yield kinds of carriers with the functions that open their accounts.

    Accounts in test mode use `simulator`, the address of `haulier simulate carrier`, if given. Every call ends within
    `call_limit_s`. `reader` converts picture labels.

    Built-in carriers come last, so that no package can take their codes. As a generator, it imports the connectors and
    searches installed packages only when a carrier is first needed.
    """
    pictures = LabelPictures(reader) if reader else None
    line = Line(Clients(), TokenCache(), simulator, pictures if pictures and pictures.available else None)
    for connector in (*installed_extensions(CARRIERS, Connector).values(), *own_connectors()):
        yield connector.kind, _opener(connector, line, call_limit_s)


def own_connectors() -> tuple[Connector, ...]:
    """Return the connectors of UPS, ShipEngine, EasyPost and Canada Post."""
    from haulier.adapters.carriers.canada_post.carrier import CONNECTOR as CANADA_POST
    from haulier.adapters.carriers.easypost.carrier import CONNECTOR as EASYPOST
    from haulier.adapters.carriers.shipengine.carrier import CONNECTOR as SHIPENGINE
    from haulier.adapters.carriers.ups.carrier import CONNECTOR as UPS

    return CANADA_POST, EASYPOST, SHIPENGINE, UPS


def _opener(connector: Connector, line: Line, call_limit_s: float) -> OpenAccount:
    return lambda credentials, test_mode: LimitedCarrier(connector.open(credentials, test_mode, line), call_limit_s)
