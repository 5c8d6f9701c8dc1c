"""Typed texts as values: `6.50 €` as 650, `1.5 kg` as 1500."""

import re
import unicodedata
from decimal import ROUND_HALF_UP, Decimal

from babel.numbers import get_currency_name, get_currency_symbol

from haulier.kernel.values.money import currency_decimals
from haulier.web.kinds.habits import Habits
from haulier.web.kinds.numbers import InputFault, read_number, write_number
from haulier.web.kinds.table import IN_USD, MICRO, PERCENT_DIGITS, Kind, ValueKind
from haulier.web.kinds.units import IMPERIAL, UNITS, typed_unit, unit_named, unit_symbol

_CLOCK_TIME = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d))?")
_PART = re.compile(r"(\d[\d.,]*)\s*([^\d\s.,]+\.?)")
MICRO_DIGITS = 6


def read_value(kind: ValueKind, text: str, habits: Habits, currency: str | None = None) -> int:
    """Return the number that interfaces carry. Raises `InputFault`."""
    if kind.kind is Kind.MONEY:
        return _read_money(kind, text, habits, currency or habits.currency)
    if kind.kind is Kind.PERCENT:
        return _read_percent(kind, text, habits)
    return _read_duration(kind, text, habits) if kind.kind is Kind.DURATION else _read_measure(kind, text, habits)


def money_digits(kind: ValueKind, currency: str) -> int:
    """Return the number of decimals that an amount is carried with."""
    return MICRO_DIGITS if kind.unit in (MICRO, IN_USD) else currency_decimals(currency)


def currency_of(kind: ValueKind, currency: str) -> str:
    """Return the currency of an amount; some are always in US dollars."""
    return "USD" if kind.unit == IN_USD else currency


def _read_money(kind: ValueKind, text: str, habits: Habits, currency: str) -> int:
    currency = currency_of(kind, currency)
    digits = money_digits(kind, currency)
    number = read_number(text, habits.locale, thousands=digits < 3)
    known = (
        currency,
        get_currency_symbol(currency, habits.locale),
        get_currency_symbol(currency, "en"),
        *_short(currency),
    )
    if number.words and number.words not in {unicodedata.normalize("NFKC", each).casefold() for each in known}:
        name = get_currency_name(currency, locale=habits.locale)
        raise InputFault("kinds.other_currency", given=text, currency=name)
    return _scaled(number.value, 10**digits, text, "kinds.too_many_decimals", digits=digits)


def _short(currency: str) -> tuple[str, ...]:
    """Return the sign that a currency has in its own country: `$` for CAD."""
    symbol = get_currency_symbol(currency, "en").lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return (symbol,) if symbol else ()


def _read_percent(kind: ValueKind, text: str, habits: Habits) -> int:
    number = read_number(text, habits.locale, thousands=False)
    if number.words not in {"", "%"}:
        raise InputFault("kinds.not_a_number", given=text)
    digits = PERCENT_DIGITS[kind.unit]
    return _scaled(number.value, 10**digits, text, "kinds.too_many_decimals", digits=digits)


def _read_measure(kind: ValueKind, text: str, habits: Habits) -> int:
    number = read_number(text, habits.locale, thousands=False)
    unit = unit_named(kind.kind, number.words, habits.locale) if number.words else typed_unit(kind, habits.country)
    if unit is None:
        raise InputFault(
            "kinds.unknown_unit", given=text, unit=unit_symbol(typed_unit(kind, habits.country), habits.locale)
        )
    carried = UNITS[kind.kind][kind.unit]
    exact = number.value * unit.size / carried.size
    if habits.country in IMPERIAL or unit.cldr.rpartition("-")[2] in {"ounce", "pound", "inch", "foot", "mile"}:
        return int(exact.to_integral_value(ROUND_HALF_UP))
    return _scaled(exact, 1, text, "kinds.finer_than", unit=f"1 {unit_symbol(carried, habits.locale)}")


def _read_duration(kind: ValueKind, text: str, habits: Habits) -> int:
    carried = UNITS[Kind.DURATION][kind.unit]
    total = _duration_ms(kind, unicodedata.normalize("NFKC", text).strip(), habits)
    return _scaled(total / carried.size, 1, text, "kinds.whole_units", unit=unit_symbol(carried, habits.locale))


def _duration_ms(kind: ValueKind, text: str, habits: Habits) -> Decimal:
    if clock := _CLOCK_TIME.fullmatch(text):
        hours, minutes, seconds = (Decimal(each or 0) for each in clock.groups())
        return ((hours * 60 + minutes) * 60 + seconds) * 1000
    parts = _PART.findall(text)
    if len(parts) > 1 and not _PART.sub("", text).strip():
        return sum((_duration_ms(kind, " ".join(part), habits) for part in parts), Decimal())
    number = read_number(text, habits.locale, thousands=False)
    usual = typed_unit(kind, habits.country)
    unit = unit_named(Kind.DURATION, number.words, habits.locale) if number.words else usual
    if unit is None:
        raise InputFault("kinds.unknown_unit", given=text, unit=unit_symbol(usual, habits.locale))
    return number.value * unit.size


def _scaled(value: Decimal, scale: int, text: str, fault: str, **params: object) -> int:
    exact = value * scale
    if exact != exact.to_integral_value():
        raise InputFault(fault, given=text, **params)
    return int(exact)


def typed_text(kind: ValueKind, value: int | float, habits: Habits, currency: str | None = None) -> str:
    """Return a value as the text of an input, which `read_value` reads exactly."""
    number = Decimal(str(value))
    if kind.kind is Kind.MONEY:
        known = currency_of(kind, currency or habits.currency)
        digits = money_digits(kind, known)
        least = min(digits, currency_decimals(known))
        return write_number(number / 10**digits, habits.locale, least=least, most=digits)
    if kind.kind is Kind.PERCENT:
        digits = PERCENT_DIGITS[kind.unit]
        return write_number(number / 10**digits, habits.locale, most=max(2, digits))
    unit, carried = typed_unit(kind, habits.country), UNITS[kind.kind][kind.unit]
    shown = number * carried.size / unit.size
    if kind.kind is Kind.DURATION and shown != shown.to_integral_value():
        return f"{number:f} {unit_symbol(carried, habits.locale)}"
    return write_number(shown, habits.locale, most=unit.decimals)


def beside_input(kind: ValueKind, habits: Habits, currency: str | None = None) -> str:
    """Return the unit or currency that stands beside an input."""
    if kind.kind is Kind.MONEY:
        return get_currency_symbol(currency_of(kind, currency or habits.currency), habits.locale)
    return "%" if kind.kind is Kind.PERCENT else unit_symbol(typed_unit(kind, habits.country), habits.locale)
