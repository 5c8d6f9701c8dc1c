"""GS1 element strings: what a barcode says in application identifiers (GS1 General Specifications, sections 3 and 7.8)."""

import calendar
from collections.abc import Iterator, Mapping
from datetime import date

from msgspec import Struct

from haulier.contexts.warehouse.products.rules.barcodes import is_gtin
from haulier.contexts.warehouse.products.rules.codes import SEPARATOR, SYMBOLOGIES

_CHARACTERS = frozenset(map(chr, range(0x21, 0x7F)))


class _Element(Struct, frozen=True):
    """How the value of an application identifier is written: of `length` signs, or of up to so many where it is `variable`."""

    length: int
    variable: bool = False
    digits: bool = False
    checked: bool = False
    """Whether its last digit is a check digit."""


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
"""The application identifiers that goods and logistic units carry (section 3.2). `310n` to `316n` are metric measures of which
`n` digits stand after the point."""
_LONGEST_IDENTIFIER = 4
_OF_A_PIECE, _OF_A_UNIT = "01", "00"


class Gs1Code(Struct, frozen=True, kw_only=True):
    """What a barcode says. None where it does not say it."""

    sscc: str | None = None
    """The number of a logistic unit, 18 digits (AI 00)."""
    gtin: str | None = None
    """The product: of the piece itself (AI 01), or of what a logistic unit holds (AI 02). 14 digits."""
    lot: str | None = None
    serial: str | None = None
    expires_on: date | None = None
    """AI 17, or the day until which it is best (AI 15)."""
    count: int | None = None
    """Pieces in it (AI 37 or 30)."""
    net_weight_g: int | None = None
    """AI 310n."""
    elements: Mapping[str, str] = {}
    """Every element by its identifier."""


def parse_gs1(text: str, today: date) -> Gs1Code | None:
    """What a barcode says in application identifiers; None where it is no element string.

    With the separator, with a symbology identifier before it, or in brackets as it is printed for people. A bare text is one
    when it is a whole element string that begins with a GTIN or an SSCC. `today` tells the century of its days.
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
    """The element, or None for a value that it cannot have."""
    element = _ELEMENTS[identifier]
    fits = 0 < len(value) <= element.length if element.variable else len(value) == element.length
    if not fits or not _CHARACTERS.issuperset(value):
        return None
    if element.digits and not (value.isascii() and value.isdigit()):
        return None
    return None if element.checked and not is_gtin(value) else (identifier, value)


def _day(value: str, today: date) -> date | None:
    """A day of two digits each: the year is the nearest one (section 7.12), and day 00 is the last of its month."""
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
