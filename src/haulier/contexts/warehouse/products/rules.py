"""Rules of products."""

import re
from urllib.parse import unquote, urlsplit

GTIN_LENGTHS = frozenset({8, 12, 13, 14})
_GTIN_DIGITS = 14


def barcode_key(barcode: str) -> str:
    """Return a GTIN as fourteen digits; other texts are unchanged.

    GS1 General Specifications, section 3.3.
    """
    if len(barcode) in GTIN_LENGTHS and barcode.isdigit() and is_gtin(barcode):
        return barcode.zfill(_GTIN_DIGITS)
    return barcode


def is_gtin(digits: str) -> bool:
    """Return True if the last digit is the check digit of the others.

    GS1 General Specifications, section 7.9.
    """
    weighted = (int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(reversed(digits)))
    return sum(weighted) % 10 == 0


SEPARATOR = "\x1d"
"""Separator of elements: FNC1 as scanners send it (section 7.8.3)."""
SYMBOLOGIES = ("]C1", "]e0", "]d2", "]Q3", "]J1")
"""Prefixes by which scanners mark element strings (section 5.1.3)."""
_IDENTIFIER = re.compile(r"\][A-Za-z][0-9A-Za-z]")
"""A symbology identifier (ISO/IEC 15424), as scanners put it before a code."""
_LINK_KEYS = frozenset({"00", "01"})
_LINK_ATTRIBUTES = frozenset({"10", "11", "13", "15", "17", "21", "22", "30", "37", "3100", "3101", "3102", "3103"})
_PLAIN_MAX = 20


def clean_scan(text: str) -> str:
    """Return the code in a scanned text.

    Removes line ends, tabs and blanks around it, and an identifier before anything but element strings. Reads a GS1 Digital
    Link as the element string that it stands for (GS1 Digital Link Standard: URI Syntax, section 4).
    """
    code = text.strip(" \t\r\n")
    if _IDENTIFIER.match(code) and not code.startswith(SYMBOLOGIES):
        code = code[3:]
    return _element_string(code) or code


def _element_string(code: str) -> str | None:
    if not code.lower().startswith(("http://", "https://")):
        return None
    try:
        url = urlsplit(code)
    except ValueError:
        return None
    parts = [unquote(part) for part in url.path.split("/") if part]
    at = next((at for at, part in enumerate(parts[:-1]) if part in _LINK_KEYS), None)
    if at is None or (len(parts) - at) % 2:
        return None
    pairs = list(zip(parts[at::2], parts[at + 1 :: 2], strict=True))
    asked = (pair.partition("=") for pair in url.query.split("&") if pair)
    pairs += [(name, unquote(value)) for name, _, value in asked if name in _LINK_ATTRIBUTES]
    key, number = pairs[0]
    if not (number.isascii() and number.isdigit() and len(number) <= _PLAIN_MAX):
        return None
    pairs[0] = (key, number.zfill(14) if key == "01" else number)
    return "".join(f"({name}){value}" for name, value in pairs) if SEPARATOR not in code else None
