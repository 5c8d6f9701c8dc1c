"""What goes in and out of scans."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.driver_app.fields import SCAN_CODE_MAX
from haulier.contexts.driver_app.scans.rules import ScanResult
from haulier.contexts.routes.routes.contract import ReportRouteEvent
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.fields import NO_NUL, RecordId


class ScanCode(ReportRouteEvent):
    """A code that was scanned."""

    code: Annotated[str, Field(min_length=1, max_length=SCAN_CODE_MAX, pattern=NO_NUL)]
    """A tracking number, of an order or a package, or an order reference."""
    stop_id: RecordId | None = None
    """The stop at which it was scanned; while loading, none."""


class ScanCodeResult(Answer):
    """The result of a scan."""

    result: Annotated[bool, doc("Whether the parcel belongs here.")]
    scan: ScanResult
    order_id: Annotated[int | None, doc("The order, where it is on this route.")]
    stop_id: Annotated[int | None, doc("The order's next open stop on this route.")]
    package_id: Annotated[int | None, doc("The piece; null where the code names an order of several pieces.")]
    pieces_scanned: Annotated[int, doc("How many pieces of the order were scanned here so far.")]
    pieces_total: Annotated[int, doc("How many pieces the order has; 0 where it is not on this route.")]
    message: Annotated[str, doc("The same in the caller's language.")]


class ScannedOrder(Answer):
    """A piece of the route that was scanned."""

    order_id: int
    package_id: Annotated[int | None, doc("The piece; null where the code named an order of several pieces.")]
    stop_id: Annotated[int | None, doc("The stop at which it was scanned; null for loading.")]


class PieceOnRoute(Answer):
    """A piece, where it was scanned and what became of it."""

    order_id: int
    package_id: int
    barcode: str
    loaded_at: Annotated[datetime | None, doc("When it was scanned while loading.")]
    at_door_at: Annotated[datetime | None, doc("When it was scanned at a stop.")]
    outcome: Annotated[str | None, doc("delivered, missing, damaged, refused or returned.")]


class RoutePieces(Answer):
    """Every piece of a route, order by order."""

    result: bool = True
    route_id: int
    expected: int
    loaded: Annotated[int, doc("How many were scanned while loading.")]
    pieces: list[PieceOnRoute]
