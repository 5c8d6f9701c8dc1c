"""Request and response models for scans."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.driver_app.fields import SCAN_CODE_MAX
from haulier.contexts.driver_app.scans.rules import ScanResult
from haulier.contexts.routes.routes.contract import ReportRouteEvent
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.fields import NO_NUL
from haulier.kernel.operations.ids import PieceId, StopId


class ScanCode(ReportRouteEvent):
    """A code that was scanned."""

    code: Annotated[str, Field(min_length=1, max_length=SCAN_CODE_MAX, pattern=NO_NUL)]
    """Tracking number of an order or a package, or an order reference."""
    stop_id: StopId | None = None
    """ID of the stop where the code was scanned. Omit it while loading."""


class ScanCodeResult(Answer):
    """The result of a scan."""

    result: Annotated[bool, doc("True if the parcel belongs to this stop or route.")]
    scan: ScanResult
    order_id: Annotated[int | None, doc("Order of the parcel, if it is on this route.")]
    stop_id: Annotated[StopId | None, doc("Next open stop of the order on this route.")]
    package_id: Annotated[PieceId | None, doc("Package; null if the code names an order with several packages.")]
    pieces_scanned: Annotated[int, doc("Number of packages of the order scanned here so far.")]
    pieces_total: Annotated[int, doc("Number of packages of the order; 0 if it is not on this route.")]
    message: Annotated[str, doc("Reason in the caller's language.")]


class ScannedOrder(Answer):
    """A piece of the route that was scanned."""

    order_id: int
    package_id: Annotated[PieceId | None, doc("Package; null if the code named an order with several packages.")]
    stop_id: Annotated[StopId | None, doc("Stop of the scan; null while loading.")]


class PieceOnRoute(Answer):
    """A package with its scans and outcome."""

    order_id: int
    package_id: PieceId
    barcode: str
    loaded_at: Annotated[datetime | None, doc("Time of the scan while loading.")]
    at_door_at: Annotated[datetime | None, doc("Time of the scan at a stop.")]
    outcome: Annotated[str | None, doc("Outcome: delivered, missing, damaged, refused or returned.")]


class RoutePieces(Answer):
    """Every piece of a route, order by order."""

    result: bool = True
    route_id: int
    expected: int
    loaded: Annotated[int, doc("Number of packages scanned while loading.")]
    pieces: list[PieceOnRoute]
