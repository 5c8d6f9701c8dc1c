"""Request and response models for scans."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.warehouse.packages.contract import PackageNumber
from haulier.contexts.warehouse.products.rules import clean_scan
from haulier.contexts.warehouse.stock.contract import Condition, Cursor, Lot, Page, Quantity
from haulier.contexts.warehouse.warehouses.contract import Reference, ScannedBarcode
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.client_keys import ClientKey
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Reason, RecordId
from haulier.kernel.operations.ids import LocationId, OwnDeviceId, UserId, WarehouseTransferId
from haulier.kernel.operations.rows import JudgedAlone, MalformedRow
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

SCANNED_CODE_MAX, SCANNER_ID_MAX, SCANS_MAX, ARRIVALS_MAX = 200, 64, 100, 500

ScannerId = Annotated[
    OwnDeviceId, Field(min_length=1, max_length=SCANNER_ID_MAX, pattern=r"^[\x21-\x7e]+$", examples=["scanner-7"])
]

ScannedCode = Annotated[
    str, Field(min_length=1, max_length=SCANNED_CODE_MAX, pattern=NO_NUL), AfterValidator(clean_scan)
]


class ScanKind(StrEnum):
    """Actions of a scanner."""

    RECEIVE = "receive"
    """Items of a product came to a location; a package came to the warehouse."""
    PUT_AWAY = "put_away"
    MOVE = "move"
    PICK = "pick"
    COUNT = "count"
    """Items counted on a location, as a line of an open or new count. The books change on approval."""
    LOAD = "load"
    """A package is put on the vehicle of a route."""
    EXCEPTION = "exception"
    """Something is wrong with it."""


class ScanOutcome(StrEnum):
    """Result of a scan."""

    DONE = "done"
    REFUSED = "refused"
    """Nothing was changed; `refusal` has the reason."""
    WRONG_WAREHOUSE = "wrong_warehouse"
    """It belongs to another warehouse, or the location does."""
    WRONG_ROUTE = "wrong_route"
    """It is not loaded on this route. Nothing was changed."""


class ScanRefusal(StrEnum):
    """Why a scan changed nothing."""

    UNKNOWN_CODE = "unknown_code"
    UNKNOWN_LOCATION = "unknown_location"
    LOCATION_NEEDED = "location_needed"
    ROUTE_NEEDED = "route_needed"
    PRODUCT_NEEDED = "product_needed"
    PACKAGE_NEEDED = "package_needed"
    PIECES_NOT_TOLD_APART = "pieces_not_told_apart"
    ON_A_TRANSFER = "on_a_transfer"
    MALFORMED = "malformed"
    SCAN_ID_REUSED = "scan_id_reused"
    """The device used this `scan_id` for another scan; `errors` names the fields that differ."""


class DeviceScan(Request):
    """A scan. The required fields depend on its kind."""

    scan_id: Annotated[ScannerId, ClientKey()] = Field(examples=["0190c1d2-7a44-7cc0-8f1e-2f6f3f5b9a10"])
    """ID that the device gives to the scan. Sent again with the same content it returns the first outcome; other content is
    refused."""
    kind: ScanKind
    """Action of the scan."""
    code: ScannedCode = Field(examples=["4006381333931"])
    """The scanned text: a barcode or SKU of a product, the number of a package, GS1 application identifiers or a GS1 Digital
    Link. Line ends, tabs, blanks and symbology identifiers around a code are removed."""
    warehouse_id: RecordId
    """Warehouse of the device."""
    occurred_at: Moment
    """Time of the position on the device's clock."""
    location: ScannedBarcode | None = None
    """Location barcode: destination (receive), source (put_away, move, pick) or counted location (count)."""
    to_location: ScannedBarcode | None = Field(default=None, examples=["YYZ-B-02"])
    """put_away, move: new location. pick: location of the picked items, if any."""
    quantity: Quantity | None = None
    """Quantity. Defaults to the quantity in the barcode, or 1."""
    nothing: bool = False
    """count: record an empty location."""
    lot: Lot | None = None
    """Lot. Defaults to the lot in the barcode."""
    serial: Lot | None = Field(default=None, examples=["SN-0001"])
    """Serial number of the single item. Defaults to the number in the barcode."""
    expires_on: Day | None = None
    """receive: expiry date. Defaults to the date in the barcode."""
    condition: Condition = Condition.GOOD
    """Condition of the items."""
    route_id: RecordId | None = None
    """load: the route of the vehicle."""
    reference: Reference | None = None
    """The order or delivery note that it is for."""
    note: Reason | None = Field(default=None, examples=["Corner crushed"])
    """Description of the problem."""
    start_transfer: bool = False
    """receive: if the package belongs to another warehouse, add it to a draft transfer there, or to a new one."""


class RecordScan(DeviceScan):
    """A scan, sent at once."""

    device_id: ScannerId
    """The device."""
    sent_at: Moment | None = None
    """The device's clock while sending. With it, the time of each scan is corrected by the clock's offset."""
    photo: FileUpload | None = None
    """exception: file ID of a picture."""


ScanRow = Annotated[DeviceScan | MalformedRow, JudgedAlone()]
EXAMPLE_SCANS = [
    [
        {
            "scan_id": "0190c1d2-7a44-7cc0-8f1e-2f6f3f5b9a10",
            "kind": "receive",
            "code": "4006381333931",
            "warehouse_id": 1,
            "location": "YYZ-DOCK",
            "occurred_at": "2026-06-10T09:00:00Z",
        }
    ]
]


class SyncScans(Request):
    """Scans that a device kept while it was offline, in any order."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"scans"})
    device_id: ScannerId
    """The device."""
    scans: Annotated[list[ScanRow], Field(min_length=1, max_length=SCANS_MAX, examples=EXAMPLE_SCANS)]
    """Up to 100 scans. One that cannot be read or changes nothing does not stop the others."""
    sent_at: Moment | None = None
    """The device's clock while sending. With it, the time of each scan is corrected by the clock's offset."""


class ListScans(Request):
    """Filters for scans, newest first."""

    warehouse_id: RecordId | None = None
    """Filter by warehouse."""
    device_id: ScannerId | None = None
    """Filter by device."""
    kind: ScanKind | None = None
    """Filter by type."""
    outcome: ScanOutcome | None = None
    """Filter by outcome."""
    per_page: Page = 50
    """Records per page."""
    cursor: Cursor | None = None
    """`next_cursor` of the previous page."""


class ExpectArrivals(Request):
    """Packages that should come."""

    warehouse_id: RecordId
    """Warehouse."""
    day: Day = Field(examples=["2026-06-10"])
    """Day."""
    numbers: Annotated[list[PackageNumber], Field(max_length=ARRIVALS_MAX)] = []
    """Barcodes or numbers printed on the packages."""
    order_ids: Annotated[list[RecordId], Field(max_length=ARRIVALS_MAX)] = []
    """All packages of these orders."""
    route_id: RecordId | None = None
    """All packages of the route's orders, and the route of each."""


class CancelArrivals(Request):
    """Packages that are no longer expected."""

    warehouse_id: RecordId
    """Warehouse."""
    day: Day = Field(examples=["2026-06-10"])
    """Day."""
    numbers: Annotated[list[PackageNumber], Field(max_length=ARRIVALS_MAX)] = []
    """Barcodes or numbers printed on the packages."""
    order_ids: Annotated[list[RecordId], Field(max_length=ARRIVALS_MAX)] = []
    """All packages of these orders."""
    route_id: RecordId | None = None
    """Expected packages of this route."""


class ListMissingArrivals(PageRequest):
    """Filters for missing arrivals."""

    warehouse_id: RecordId | None = None
    """Filter by expected warehouse."""
    day: Day | None = Field(default=None, examples=["2026-06-10"])
    """Filter by day. Defaults to all days up to today."""
    route_id: RecordId | None = None
    """Filter by the route that was expected to bring them."""


class ScanFieldError(Answer):
    """One thing wrong with one field of a scan that cannot be read."""

    field: Annotated[str, doc("Field path within the scan.", "occurred_at")]
    code: Annotated[str, doc("Machine-readable error code.", "MISSING")]
    message: Annotated[str, doc("Error message in the caller's language.")]


class WarehouseScan(Answer):
    """A scan and its result."""

    scan_id: Annotated[str | None, doc("Scan as the device sent it; null if it cannot be parsed.")]
    device_id: OwnDeviceId
    outcome: ScanOutcome
    repeated: Annotated[bool, doc("True if the scan was already known and not applied again.")]
    refusal: Annotated[ScanRefusal | None, doc("Reason why nothing was changed.")]
    message: Annotated[str, doc("Result in the caller's language.")]
    errors: Annotated[list[ScanFieldError], doc("Invalid fields of the scan.")] = []
    kind: ScanKind | None
    code: str | None
    warehouse_id: int | None
    sku: Annotated[str | None, doc("Product of the code.")]
    package_number: Annotated[str | None, doc("Package of the code.")]
    quantity: int | None
    lot: str | None
    serial: str | None
    expires_on: date | None
    location_id: LocationId | None
    to_location_id: LocationId | None
    belongs_to_warehouse_id: Annotated[int | None, doc("Warehouse where the package belongs, if another one.")]
    transfer_id: Annotated[WarehouseTransferId | None, doc("Transfer that takes it there or brought it.")]
    route_id: int | None
    belongs_on_route_id: Annotated[int | None, doc("Route of the package, if another one.")]
    reference: str | None
    note: str | None
    file_id: Annotated[int | None, doc("ID of the picture.")]
    user_id: Annotated[UserId | None, doc("User who scanned it.")]
    occurred_at: Annotated[datetime | None, doc("Time by the server's clock.")]
    device_at: Annotated[datetime | None, doc("Time by the device's clock, if it was corrected.")]
    clock_corrected: Annotated[bool, doc("True if `occurred_at` differs from the device's time.")]
    recorded_at: Annotated[datetime | None, doc("Time of recording; null for a scan that cannot be parsed.")]


class ScanAnswer(Answer):
    """One scan and its result."""

    result: bool = True
    scan: WarehouseScan


class ScansSettled(Answer):
    """Results of scans. The device can delete every scan that is listed."""

    result: bool = True
    done: int
    refused: Annotated[int, doc("Scans that changed nothing, or of goods in the wrong place.")]
    repeated: int
    scans: Annotated[list[WarehouseScan], doc("One result per scan, in the same order.")]
    clock_ahead_s: Annotated[int | None, doc("Seconds by which the device's clock runs ahead of the server.")]


class ScanList(Answer):
    """A page of scans, newest first."""

    result: bool = True
    scans: list[WarehouseScan]
    next_cursor: Annotated[str | None, doc("Cursor of the next page, or null on the last page.")]


class ArrivalsExpected(Answer):
    """Number of expected packages."""

    result: bool = True
    added: Annotated[int, doc("Packages added to the expected ones of the day.")]


class ArrivalsCancelled(Answer):
    """Number of cancelled arrivals."""

    result: bool = True
    cancelled: Annotated[int, doc("Expected packages of the day that had not arrived.")]


class MissingArrival(Answer):
    """A package that should have come and did not."""

    number: str
    warehouse_id: int
    day: date
    route_id: Annotated[int | None, doc("Route that should have brought the package.")]
    order_id: int | None
    seen_in_warehouse_id: Annotated[int | None, doc("Warehouse where it was seen instead, if known.")]


class MissingArrivalList(PagedAnswer):
    """A page of packages that did not come, by day."""

    missing: list[MissingArrival]
