"""Texts by which orders are found: numbers, postal codes and telephone numbers as people write them."""

from collections.abc import Sequence

from haulier.kernel.values.words import fold_search

PHONE_MARKS = frozenset("+-./() ")
MIN_PHONE_DIGITS = 7
"""Fewer digits are a house number or a postal code."""
MAX_PHONE_DIGITS = 9
"""Numbers are compared by at most so many last digits, so that country codes and trunk zeros do not matter."""


def code_in(text: str) -> str:
    """A number or postal code as it is compared: capitals and digits; empty for a text with anything but those and blanks."""
    code = "".join(c for c in text.upper() if c not in " -")
    return code if code.isascii() and code.isalnum() else ""


def digits_in(text: str) -> str:
    """The digits of a text."""
    return "".join(c for c in text if c.isdecimal())


def compared_phone_digits(text: str) -> str:
    """The last digits of a text that is a telephone number, however it is written; empty for any other."""
    digits = digits_in(text)
    is_phone = len(digits) >= MIN_PHONE_DIGITS and all(c.isdecimal() or c in PHONE_MARKS for c in text)
    return digits[-MAX_PHONE_DIGITS:] if is_phone else ""


def build_order_search_text(texts: Sequence[str | None], phones: Sequence[str | None]) -> str:
    """Return the search column's value: every text folded, and phone numbers as bare digits too."""
    bare = [digits_in(phone) for phone in phones if phone]
    return "\n".join([fold_search(text) for text in (*texts, *phones) if text] + bare)
