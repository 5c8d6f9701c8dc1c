"""The check digits of GS1 identifiers (General Specifications, section 7.9): SSCC and GLN."""

_SSCC_DIGITS = 18
_GLN_DIGITS = 13
_SSCC_IDENTIFIER = "00"
"""The application identifier that stands before an SSCC on a label."""


def check_digit(body: str) -> str:
    """The check digit of a number: weights 3 and 1 from the right, up to the next multiple of ten."""
    every, second = body.encode(), body[::-2].encode()  # bytes, because these are summed in C
    total = sum(every) + 2 * sum(second) - ord("0") * (len(every) + 2 * len(second))
    return str(-total % 10)


def sscc_digits(text: str) -> str | None:
    """The 18 digits of a serial shipping container code with or without `00` before it; None for any other text."""
    digits = text[2:] if len(text) == _SSCC_DIGITS + 2 and text.startswith(_SSCC_IDENTIFIER) else text
    return digits if len(digits) == _SSCC_DIGITS and _decimal(digits) else None


def gln_digits(text: str) -> str | None:
    """The 13 digits of a global location number; None for any other text."""
    return text if len(text) == _GLN_DIGITS and _decimal(text) else None


def _decimal(text: str) -> bool:
    return text.isascii() and text.isdigit()
