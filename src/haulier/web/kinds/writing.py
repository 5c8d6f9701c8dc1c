"""Values as people read them: `€6.50`, `1.5 kg`, `Germany`."""

from datetime import date, datetime, time
from decimal import Decimal

from babel import Locale
from babel.dates import format_datetime, format_skeleton
from babel.numbers import format_percent, get_currency_name

from haulier.kernel.values.money import Money
from haulier.web.kinds.habits import Habits
from haulier.web.kinds.names import name_of
from haulier.web.kinds.reading import MICRO_DIGITS, currency_of
from haulier.web.kinds.table import CHOSEN, IN_USD, MICRO, PERCENT_DIGITS, Kind, ValueKind
from haulier.web.kinds.units import IMPERIAL, UNITS, in_unit, typed_unit

_TIME_UNITS = ("day", "h", "min", "s", "ms")
_FINER = {"kg": "g", "km": "m"}
MONDAY = date(2026, 1, 5)
HOURS_OF_DAY = 24


def shown_value(kind: ValueKind, value: object, habits: Habits, currency: str | None = None) -> str | None:
    """Return a value for reading, or None if it is shown as it is."""
    if isinstance(value, str):
        return name_of(kind.kind, value, habits) if kind.kind in CHOSEN or kind.kind is Kind.LANGUAGE else None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    if kind.kind is Kind.WEEKDAY:
        return weekday_name(int(value), habits)
    if kind.kind is Kind.HOUR:
        return hour_name(int(value), habits)
    if kind.kind is Kind.MONEY:
        return _money(kind, int(value), habits, currency or habits.currency)
    number = Decimal(str(value))
    if kind.kind is Kind.PERCENT:
        most = 0 if kind.unit == "share" else max(2, PERCENT_DIGITS[kind.unit])
        share = number if kind.unit == "share" else number / 10 ** (PERCENT_DIGITS[kind.unit] + 2)
        return format_percent(share, format=_percent_pattern(habits, most), locale=habits.locale)
    if kind.kind is Kind.DURATION:
        return _duration(kind, number, habits)
    return _measure(kind, number, habits) if kind.kind in UNITS else None


def _percent_pattern(habits: Habits, decimals: int) -> str:
    return str(habits.names.percent_formats[None].pattern).replace(
        "##0", "##0." + "#" * decimals if decimals else "##0"
    )


def _money(kind: ValueKind, value: int, habits: Habits, currency: str) -> str | None:
    known = currency_of(kind, currency)
    if not known:
        return None
    if kind.unit in (MICRO, IN_USD):
        amount = (Decimal(value) / 10**MICRO_DIGITS).normalize()
        return f"{amount:f} {get_currency_name(known, locale=habits.locale)}"
    try:
        return Money(value, known).format(habits.locale.replace("_", "-"))
    except ValueError:  # a currency of the past
        return None


def _measure(kind: ValueKind, number: Decimal, habits: Habits) -> str:
    unit, carried = typed_unit(kind, habits.country), UNITS[kind.kind][kind.unit]
    exact = number * carried.size
    if abs(exact) < unit.size and habits.country not in IMPERIAL:
        finer = next(
            (UNITS[kind.kind][low] for high, low in _FINER.items() if UNITS[kind.kind].get(high) is unit), unit
        )
        unit = finer
    return in_unit(exact / unit.size, unit, habits.locale, min(unit.decimals, 2))


def _duration(kind: ValueKind, number: Decimal, habits: Habits) -> str:
    """Return the two largest parts of a duration: `1 hr 30 min`."""
    left = int(abs(number) * UNITS[Kind.DURATION][kind.unit].size)
    sign = "\N{MINUS SIGN}" if number < 0 else ""
    if kind.unit == "day":
        return sign + in_unit(abs(number), UNITS[Kind.DURATION]["day"], habits.locale)
    parts: list[str] = []
    for name in _TIME_UNITS:
        unit = UNITS[Kind.DURATION][name]
        count, rest = divmod(left, int(unit.size))
        if count and len(parts) < 2:
            parts.append(in_unit(Decimal(count), unit, habits.locale))
            left = rest
        elif parts:
            break
    return sign + (" ".join(parts) or in_unit(Decimal(0), UNITS[Kind.DURATION]["min"], habits.locale))


def weekday_name(number: int, habits: Habits) -> str | None:
    """Return the name of a weekday; 1 is Monday."""
    if not 1 <= number <= 7:
        return None
    return format_datetime(MONDAY.replace(day=MONDAY.day + number - 1), "EEEE", locale=habits.locale)


def hour_name(number: int, habits: Habits) -> str | None:
    """Return an hour of the day as its language writes it: `2 PM`, `14 Uhr`."""
    if not 0 <= number < HOURS_OF_DAY:
        return None
    of_twelve = "h" in str(Locale.parse(habits.locale).time_formats["short"].pattern)
    return format_skeleton("h" if of_twelve else "H", datetime.combine(MONDAY, time(number)), locale=habits.locale)
