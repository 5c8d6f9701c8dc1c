"""Rules of scans.

They depend on the scan and on master data, never on stock levels: scans in another order, or repeated, give the same
result.
"""

import calendar
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, Protocol

from msgspec import Struct

from haulier.contexts.warehouse.products.contract import Tracking
from haulier.contexts.warehouse.products.rules import SEPARATOR, SYMBOLOGIES, is_gtin
from haulier.contexts.warehouse.scans.contract import DeviceScan, ScanKind, ScanOutcome, ScanRefusal
from haulier.kernel.operations.client_keys import list_differing_fields

_CHARACTERS = frozenset(map(chr, range(0x21, 0x7F)))


class _Element(Struct, frozen=True):
    """Format of an application identifier's value.

    `length` characters, or up to that number if `variable`.
    """

    length: int
    variable: bool = False
    digits: bool = False
    checked: bool = False
    """If true, the last digit is a check digit."""


_DATE = _Element(6, digits=True)
_MEASURE = _Element(6, digits=True)
_ELEMENTS: Mapping[str, _Element] = {
    "00": _Element(18, digits=True, checked=True),
    "01": _Element(14, digits=True, checked=True),
    "02": _Element(14, digits=True, checked=True),
    "10": _Element(20, variable=True),
    **dict.fromkeys(("11", "12", "13", "15", "16", "17"), _DATE),
    "20": _Element(2, digits=True),
    "21": _Element(20, variable=True),
    "22": _Element(20, variable=True),
    "30": _Element(8, variable=True, digits=True),
    "37": _Element(8, variable=True, digits=True),
    **{f"24{last}": _Element(30, variable=True) for last in "01"},
    **{f"25{last}": _Element(30, variable=True) for last in "0134"},
    **{f"3{group}{last}": _MEASURE for group in range(10, 17) for last in range(6)},
    **{f"3{group}{last}": _MEASURE for group in (*range(20, 38), *range(40, 58), *range(60, 70)) for last in range(6)},
    **{f"40{last}": _Element(30, variable=True) for last in "013"},
    "402": _Element(17, digits=True, checked=True),
    **{f"41{last}": _Element(13, digits=True, checked=True) for last in range(8)},
    "420": _Element(20, variable=True),
    "421": _Element(12, variable=True),
    "90": _Element(30, variable=True),
    **{f"9{last}": _Element(90, variable=True) for last in range(1, 10)},
}
"""Application identifiers of goods and logistic units (section 3.2). In `310n` to `316n`, `n` is the number of
decimals."""
_LONGEST_IDENTIFIER = 4
_OF_A_PIECE, _OF_A_UNIT = "01", "00"


class Gs1Code(Struct, frozen=True, kw_only=True):
    """Contents of a barcode; None for missing elements."""

    sscc: str | None = None
    """The number of a logistic unit, 18 digits (AI 00)."""
    gtin: str | None = None
    """The product: of the item itself (AI 01), or of what a logistic unit holds (AI 02). 14 digits."""
    lot: str | None = None
    serial: str | None = None
    expires_on: date | None = None
    """AI 17, or the day until which it is best (AI 15)."""
    count: int | None = None
    """Items in it (AI 37 or 30)."""
    net_weight_g: int | None = None
    """AI 310n."""
    elements: Mapping[str, str] = {}
    """Every element by its identifier."""


def parse_gs1(text: str, today: date) -> Gs1Code | None:
    """Parse application identifiers; None if the text is no element string.

    Accepts the separator, a symbology identifier, or brackets. A bare text must be a whole element string that begins
    with a GTIN or an SSCC. `today` decides the century of its days.
    """
    said = _elements(text)
    if said is None:
        return None
    days = {identifier: _day(said[identifier], today) for identifier in ("15", "17") if identifier in said}
    if None in days.values():
        return None
    count = said.get("37", said.get("30"))
    return Gs1Code(
        sscc=said.get("00"),
        gtin=said.get("01", said.get("02")),
        lot=said.get("10"),
        serial=said.get("21"),
        expires_on=days.get("17", days.get("15")),
        count=None if count is None else int(count),
        net_weight_g=_net_weight_g(said),
        elements=said,
    )


def _elements(text: str) -> dict[str, str] | None:
    marked = next((mark for mark in SYMBOLOGIES if text.startswith(mark)), "")
    body = text[len(marked) :]
    if body.startswith("("):
        pairs = _read_brackets(body)
    elif marked or SEPARATOR in body or body.startswith((_OF_A_PIECE, _OF_A_UNIT)):
        pairs = _read(body.strip(SEPARATOR))
    else:
        return None
    said: dict[str, str] = {}
    for pair in pairs:
        if pair is None or said.setdefault(pair[0], pair[1]) != pair[1]:
            return None
    return said or None


def _read(body: str) -> Iterator[tuple[str, str] | None]:
    while body:
        identifier = _identifier(body)
        if identifier is None:
            yield None
            return
        element, rest = _ELEMENTS[identifier], body[len(identifier) :]
        value, _, after = rest.partition(SEPARATOR) if element.variable else (rest[: element.length], "", "")
        yield _pair(identifier, value)
        body = after if element.variable else rest[element.length :].removeprefix(SEPARATOR)


def _read_brackets(body: str) -> Iterator[tuple[str, str] | None]:
    for part in body[1:].split("("):
        identifier, closed, value = part.partition(")")
        yield _pair(identifier, value) if closed and identifier in _ELEMENTS else None


def _identifier(body: str) -> str | None:
    return next((body[:n] for n in range(2, _LONGEST_IDENTIFIER + 1) if body[:n] in _ELEMENTS), None)


def _pair(identifier: str, value: str) -> tuple[str, str] | None:
    """Return the element, or None for a value that it cannot have."""
    element = _ELEMENTS[identifier]
    fits = 0 < len(value) <= element.length if element.variable else len(value) == element.length
    if not fits or not _CHARACTERS.issuperset(value):
        return None
    if element.digits and not (value.isascii() and value.isdigit()):
        return None
    return None if element.checked and not is_gtin(value) else (identifier, value)


def _day(value: str, today: date) -> date | None:
    """Return a day of two-digit parts.

    The year is the nearest one (section 7.12), and day 00 is the last of its month.
    """
    year, month, day = int(value[:2]), int(value[2:4]), int(value[4:])
    century = today.year // 100 * 100
    ahead = year - today.year % 100
    century += -100 if ahead > 50 else 100 if ahead < -49 else 0
    if not 1 <= month <= 12:
        return None
    last = calendar.monthrange(century + year, month)[1]
    return date(century + year, month, day or last) if day <= last else None


def _net_weight_g(said: Mapping[str, str]) -> int | None:
    for places in range(6):
        if value := said.get(f"310{places}"):
            return int(value) * 1000 // 10**places
    return None


OF_PRODUCTS = frozenset({ScanKind.PUT_AWAY, ScanKind.MOVE, ScanKind.PICK, ScanKind.COUNT})
WITH_TWO_LOCATIONS = frozenset({ScanKind.PUT_AWAY, ScanKind.MOVE})


class ScannedProduct(Protocol):
    """Product fields that scans need."""

    @property
    def id(self) -> int: ...
    @property
    def sku(self) -> str: ...
    @property
    def tracking(self) -> Tracking: ...


class ScannedLocation(Protocol):
    """Location fields that scans need."""

    @property
    def id(self) -> int: ...
    @property
    def warehouse_id(self) -> int: ...


class Known(Struct, frozen=True, kw_only=True):
    """Known codes of scans, by barcode and by code."""

    gs1: Mapping[str, Gs1Code]
    products: Mapping[str, ScannedProduct]
    packages: frozenset[str]
    """Codes that are the number of a package, as it is kept."""
    locations: Mapping[str, ScannedLocation]


class Meaning(Struct, frozen=True, kw_only=True):
    """Meaning of a scan: items, a package, or a refusal."""

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


def interpret_scan(scan: DeviceScan, known: Known) -> Meaning:
    """Return the meaning of a scan."""
    said = known.gs1.get(scan.code) or Gs1Code()
    product = known.products.get(said.gtin or scan.code)
    number = said.sscc or scan.code.upper()
    if product is not None and said.sscc is None:
        return _interpret_pieces(scan, known, said, product)
    if scan.kind in OF_PRODUCTS:
        is_package = said.sscc is not None or number in known.packages
        return _refused(ScanRefusal.PRODUCT_NEEDED if is_package else ScanRefusal.UNKNOWN_CODE)
    if number not in known.packages and said.sscc is None:
        return _refused(ScanRefusal.UNKNOWN_CODE)
    if scan.kind == ScanKind.LOAD and scan.route_id is None:
        return _refused(ScanRefusal.ROUTE_NEEDED, package_number=number)
    return Meaning(package_number=number)


def _interpret_pieces(scan: DeviceScan, known: Known, said: Gs1Code, product: ScannedProduct) -> Meaning:
    if scan.kind == ScanKind.LOAD:
        return _refused(ScanRefusal.PACKAGE_NEEDED)
    lot, serial = scan.lot or said.lot, scan.serial or said.serial
    quantity = 0 if scan.nothing and scan.kind == ScanKind.COUNT else scan.quantity or said.count or 1
    pieces: dict[str, Any] = {
        "product": product,
        # A barcode can have more detail than the business tracks.
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
    """Return True if a lot or serial number is missing or superfluous."""
    if (serial is None) == (product.tracking == Tracking.SERIAL) or (serial is not None and quantity > 1):
        return True
    return (lot is None) == (product.tracking == Tracking.LOT)


def _refused(refusal: ScanRefusal, **meaning: Any) -> Meaning:
    return Meaning(outcome=ScanOutcome.REFUSED, refusal=refusal, **meaning)


class StoredScan(Protocol):
    """A stored scan, as far as repeats are compared with it."""

    @property
    def kind(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def warehouse_id(self) -> int: ...
    @property
    def route_id(self) -> int | None: ...
    @property
    def reference(self) -> str | None: ...
    @property
    def note(self) -> str | None: ...
    @property
    def quantity(self) -> int | None: ...
    @property
    def lot(self) -> str | None: ...
    @property
    def serial(self) -> str | None: ...
    @property
    def expires_on(self) -> date | None: ...
    @property
    def occurred_at(self) -> datetime: ...
    @property
    def device_at(self) -> datetime | None: ...


def differing_scan_fields(scan: DeviceScan, stored: StoredScan) -> list[str]:
    """Return the fields in which a scan differs from the one stored under its id.

    Items are compared where the scan names them: what a barcode says depends on master data, which may change meanwhile.
    """
    sent: dict[str, Any] = {
        **{name: getattr(scan, name) for name in ("kind", "code", "warehouse_id", "route_id", "reference", "note")},
        "occurred_at": scan.occurred_at,
    }
    named = ("quantity", "lot", "serial", "expires_on")
    sent |= {
        name: value
        for name in named
        if (value := getattr(scan, name)) is not None and getattr(stored, name) is not None
    }
    known = {name: getattr(stored, name) for name in sent}
    return list_differing_fields(sent, known | {"occurred_at": stored.device_at or stored.occurred_at})
