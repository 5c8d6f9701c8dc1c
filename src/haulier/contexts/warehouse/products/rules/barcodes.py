"""One form of each barcode, so that a scanner that leaves out leading zeros finds the same product."""

GTIN_LENGTHS = frozenset({8, 12, 13, 14})
_GTIN_DIGITS = 14


def barcode_key(barcode: str) -> str:
    """A GTIN as its fourteen digits (GS1 General Specifications, section 3.3); any other text as it is."""
    if len(barcode) in GTIN_LENGTHS and barcode.isdigit() and is_gtin(barcode):
        return barcode.zfill(_GTIN_DIGITS)
    return barcode


def is_gtin(digits: str) -> bool:
    """Whether the last digit is the check digit of the others (GS1 General Specifications, section 7.9)."""
    weighted = (int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(reversed(digits)))
    return sum(weighted) % 10 == 0
