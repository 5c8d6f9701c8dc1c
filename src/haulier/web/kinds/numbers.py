"""Numbers as people type them, in any usual notation.

`6,50`, `6.50`, `1 500` and `1’500.00` are read in every language. A number that has two readings is refused.
"""

import re
import unicodedata
from decimal import Decimal
from typing import Any

from babel import Locale
from babel.numbers import format_decimal
from msgspec import Struct

_PARTS = re.compile(r"(\D*?)([.,]?\d(?:[\d.,'’ ]*\d)?)\s*(\D*)", re.DOTALL)
_MINUS = "-\N{MINUS SIGN}\N{EN DASH}"


class InputFault(Exception):
    """A text that cannot be read; `message_id` and `params` say why."""

    def __init__(self, message_id: str, **params: Any) -> None:
        super().__init__(message_id)
        self.message_id, self.params = message_id, params


class TypedNumber(Struct, frozen=True):
    """A number in a text, and the words beside it."""

    value: Decimal
    words: str
    """The currency or unit, in lower case."""


def read_number(text: str, locale: str, *, thousands: bool) -> TypedNumber:
    """Read a number with an optional unit or currency.

    `thousands` is True where three digits after the group separator of the language can only be thousands, as in
    amounts of money. Raises `InputFault`.
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    match = _PARTS.fullmatch(plain)
    if match is None:
        raise InputFault("kinds.not_a_number", given=text)
    before, digits, after = (part.strip() for part in match.groups())
    negative = any(sign in before for sign in _MINUS)
    words = "".join(each for each in before if each not in f"+{_MINUS}").strip() or after
    if words != after and after:
        raise InputFault("kinds.not_a_number", given=text)
    value = _read_digits(re.sub(r"[ '’]", " ", digits), locale, thousands, text)
    return TypedNumber(-value if negative else value, words.casefold())


def _read_digits(digits: str, locale: str, thousands: bool, text: str) -> Decimal:
    whole = digits.replace(" ", "")
    points = [each for each in whole if each in ".,"]
    decimal = points[-1] if len(set(points)) == 2 or len(points) == 1 else None
    if len(points) == 1 and _may_be_group(whole, points[0]):
        decimal = _one_reading(whole, points[0], locale, thousands, text)
    if len(set(points)) == 2 and whole.count(points[-1]) > 1:
        raise InputFault("kinds.not_a_number", given=text)
    head, _, tail = whole.partition(decimal) if decimal else (whole, "", "")
    groups = re.split("[.,]", head)
    if len(groups) > 1 and (
        not groups[0] or len(groups[-1]) != 3 or any(len(each) not in {2, 3} for each in groups[1:])
    ):
        raise InputFault("kinds.not_a_number", given=text)
    return Decimal(f"{''.join(groups) or '0'}.{tail or '0'}")


def _may_be_group(digits: str, point: str) -> bool:
    head, _, tail = digits.partition(point)
    return len(tail) == 3 and head.strip("0") != "" and not head.startswith("0") and len(head) <= 3


def _one_reading(digits: str, point: str, locale: str, thousands: bool, text: str) -> str | None:
    """Return the decimal point of `1.500`, None if it separates thousands."""
    symbols = Locale.parse(locale).number_symbols["latn"]
    if thousands and point == symbols["group"]:
        return None
    if not thousands and point == symbols["decimal"]:
        return point
    head, _, tail = digits.partition(point)
    part = f"{head}{symbols['decimal']}{tail.rstrip('0') or '0'}"
    raise InputFault("kinds.ambiguous", given=text, whole=head + tail, part=part)


def write_number(value: Decimal, locale: str, *, least: int = 0, most: int = 6) -> str:
    """Return a number as people type it, without group separators."""
    pattern = "0" + ("." if most else "") + "0" * least + "#" * (most - least)
    return format_decimal(value, format=pattern, locale=locale)
