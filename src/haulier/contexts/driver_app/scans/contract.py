"""What goes in and out of scans."""

from typing import Annotated

from pydantic import Field

from haulier.contexts.driver_app.fields import SCAN_CODE_MAX
from haulier.contexts.driver_app.scans.rules import ScanResult
from haulier.contexts.routes.routes.contract.routes import ReportRouteEvent
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
    message: Annotated[str, doc("The same in the caller's language.")]


class ScannedOrder(Answer):
    """An order of the route whose parcel was scanned."""

    order_id: int
    stop_id: Annotated[int | None, doc("The stop at which it was scanned; null for loading.")]
