"""What a scan means.

It depends on what was scanned and on master data alone, never on what stands where: scans that come in another order, or
twice, then come to the same.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any, Protocol

from msgspec import Struct

from haulier.contexts.warehouse.products.contract import Tracking
from haulier.contexts.warehouse.scans.contract import DeviceScan, ScanKind, ScanOutcome, ScanRefusal
from haulier.contexts.warehouse.scans.rules.gs1 import Gs1Code

OF_PRODUCTS = frozenset({ScanKind.PUT_AWAY, ScanKind.MOVE, ScanKind.PICK, ScanKind.COUNT})
WITH_TWO_LOCATIONS = frozenset({ScanKind.PUT_AWAY, ScanKind.MOVE})


class ScannedProduct(Protocol):
    """A product, as far as a scan is judged by it."""

    @property
    def id(self) -> int: ...
    @property
    def sku(self) -> str: ...
    @property
    def tracking(self) -> Tracking: ...


class ScannedLocation(Protocol):
    """A location, as far as a scan is judged by it."""

    @property
    def id(self) -> int: ...
    @property
    def warehouse_id(self) -> int: ...


class Known(Struct, frozen=True, kw_only=True):
    """What is known of the codes of some scans: by barcode, and by code."""

    gs1: Mapping[str, Gs1Code]
    products: Mapping[str, ScannedProduct]
    packages: frozenset[str]
    """Codes that are the number of a package, as it is kept."""
    locations: Mapping[str, ScannedLocation]


class Meaning(Struct, frozen=True, kw_only=True):
    """What a scan means: pieces of a product, or a package; or why it changes nothing."""

    outcome: ScanOutcome = ScanOutcome.DONE
    refusal: ScanRefusal | None = None
    product: ScannedProduct | None = None
    package_number: str | None = None
    quantity: int | None = None
    lot: str | None = None
    serial: str | None = None
    expires_on: date | None = None
    location: ScannedLocation | None = None
    to_location: ScannedLocation | None = None
    belongs_to_warehouse_id: int | None = None


def judge(scan: DeviceScan, known: Known) -> Meaning:
    """What a scan means."""
    said = known.gs1.get(scan.code) or Gs1Code()
    product = known.products.get(said.gtin or scan.code)
    number = said.sscc or scan.code.upper()
    if product is not None and said.sscc is None:
        return _judge_pieces(scan, known, said, product)
    if scan.kind in OF_PRODUCTS:
        is_package = said.sscc is not None or number in known.packages
        return _refused(ScanRefusal.PRODUCT_NEEDED if is_package else ScanRefusal.UNKNOWN_CODE)
    if number not in known.packages and said.sscc is None:
        return _refused(ScanRefusal.UNKNOWN_CODE)
    if scan.kind == ScanKind.LOAD and scan.route_id is None:
        return _refused(ScanRefusal.ROUTE_NEEDED, package_number=number)
    return Meaning(package_number=number)


def _judge_pieces(scan: DeviceScan, known: Known, said: Gs1Code, product: ScannedProduct) -> Meaning:
    if scan.kind == ScanKind.LOAD:
        return _refused(ScanRefusal.PACKAGE_NEEDED)
    lot, serial = scan.lot or said.lot, scan.serial or said.serial
    quantity = 0 if scan.nothing and scan.kind == ScanKind.COUNT else scan.quantity or said.count or 1
    pieces: dict[str, Any] = {
        "product": product,
        # Why: a barcode may say more of a piece than the business tells apart.
        "lot": lot if product.tracking == Tracking.LOT or scan.lot else None,
        "serial": serial if product.tracking == Tracking.SERIAL or scan.serial else None,
        "quantity": quantity,
        "expires_on": scan.expires_on or said.expires_on,
    }
    if scan.kind == ScanKind.EXCEPTION and scan.location is None:
        return Meaning(**pieces)
    named = (scan.location, scan.to_location)
    if scan.location is None or (scan.kind in WITH_TWO_LOCATIONS and scan.to_location is None):
        return _refused(ScanRefusal.LOCATION_NEEDED, **pieces)
    location, to_location = (known.locations.get(each) if each else None for each in named)
    if location is None or (scan.to_location and to_location is None):
        return _refused(ScanRefusal.UNKNOWN_LOCATION, **pieces)
    places: dict[str, Any] = {"location": location, "to_location": to_location}
    if _untold(product, pieces["lot"], pieces["serial"], quantity):
        return _refused(ScanRefusal.PIECES_NOT_TOLD_APART, **pieces, **places)
    elsewhere = next(
        (each for each in (location, to_location) if each and each.warehouse_id != scan.warehouse_id), None
    )
    if elsewhere:
        belongs = elsewhere.warehouse_id
        return Meaning(outcome=ScanOutcome.WRONG_WAREHOUSE, belongs_to_warehouse_id=belongs, **pieces, **places)
    return Meaning(**pieces, **places)


def _untold(product: ScannedProduct, lot: str | None, serial: str | None, quantity: int) -> bool:
    """Whether a lot or serial number is missing, or there though the product has none."""
    if (serial is None) == (product.tracking == Tracking.SERIAL) or (serial is not None and quantity > 1):
        return True
    return (lot is None) == (product.tracking == Tracking.LOT)


def _refused(refusal: ScanRefusal, **meaning: Any) -> Meaning:
    return Meaning(outcome=ScanOutcome.REFUSED, refusal=refusal, **meaning)
