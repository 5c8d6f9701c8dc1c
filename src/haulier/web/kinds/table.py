"""The table of field kinds, by name and type of a field.

Interfaces carry minor units, grams, seconds and codes. Pages never show them.
"""

import re
from enum import StrEnum, auto
from functools import lru_cache

from msgspec import Struct

from haulier.kernel.operations.resources import snake_case


class Kind(StrEnum):
    """A kind of value."""

    MONEY = auto()
    WEIGHT = auto()
    LENGTH = auto()
    DISTANCE = auto()
    VOLUME = auto()
    DURATION = auto()
    PERCENT = auto()
    COUNTRY = auto()
    CURRENCY = auto()
    TIME_ZONE = auto()
    LANGUAGE = auto()
    CLOCK = auto()
    WEEKDAY = auto()
    HOUR = auto()
    """An hour of the day, from 0 to 23."""
    PHONE = auto()
    EMAIL = auto()
    PAIRS = auto()
    """Names with values; with a unit, the values are amounts of money."""
    DEVELOPER = auto()
    """A value that only programs send."""
    REFERENCE = auto()
    """Records chosen by name."""


class ValueKind(Struct, frozen=True):
    """A kind, and the unit in which interfaces carry its values."""

    kind: Kind
    unit: str = ""
    typed: str = ""
    """Unit of a number typed without one; empty for the usual one."""


MEASURED = frozenset({Kind.MONEY, Kind.WEIGHT, Kind.LENGTH, Kind.DISTANCE, Kind.VOLUME, Kind.DURATION, Kind.PERCENT})
CHOSEN = frozenset({Kind.COUNTRY, Kind.CURRENCY, Kind.TIME_ZONE})
"""Kinds that are chosen from a long list by name."""
PERCENT_DIGITS = {"percent": 0, "share": 0, "bp": 2, "ppm": 4}
"""Decimals of a percentage by the unit in which interfaces carry it."""
MINOR, MICRO, IN_USD = "minor", "micro", "micro_usd"

_NUMBERS: tuple[tuple[str, ValueKind], ...] = (
    (r"max_cost_micro_usd", ValueKind(Kind.MONEY, IN_USD)),
    (r".*_micros|default_segment_price", ValueKind(Kind.MONEY, MICRO)),
    (
        r".*_minor|minor|amount|base|declared_value|per_extra_kg|residential|saturday|signature|unit_value"
        r"|shipping_price|tax",
        ValueKind(Kind.MONEY, MINOR),
    ),
    (r".*_basis_points|basis_points|.*_bp", ValueKind(Kind.PERCENT, "bp")),
    (r".*_ppm", ValueKind(Kind.PERCENT, "ppm")),
    (r".*_percent|percent|.*_pct", ValueKind(Kind.PERCENT, "percent")),
    (r".*_share", ValueKind(Kind.PERCENT, "share")),
    (r"(tare|unit|least_unit)_g", ValueKind(Kind.WEIGHT, "g", "g")),
    (r".*_g", ValueKind(Kind.WEIGHT, "g")),
    (r".*_mm", ValueKind(Kind.LENGTH, "mm")),
    (r"(accuracy|off_route|radius|stop_radius)_m", ValueKind(Kind.DISTANCE, "m", "m")),
    (r".*_m", ValueKind(Kind.DISTANCE, "m")),
    (r".*_km", ValueKind(Kind.DISTANCE, "km")),
    (r"capacity_volume_cm3", ValueKind(Kind.VOLUME, "cm3", "m3")),
    (r".*_cm3", ValueKind(Kind.VOLUME, "cm3")),
    (r".*_mm3", ValueKind(Kind.VOLUME, "mm3")),
    (
        r"(position_every|time_budget|tolerance|max_seconds|usual_search)_s|(.*_)?seconds",
        ValueKind(Kind.DURATION, "s", "s"),
    ),
    (r"(max_time)_s", ValueKind(Kind.DURATION, "s", "h")),
    (r".*_s", ValueKind(Kind.DURATION, "s", "min")),
    (r".*_ms", ValueKind(Kind.DURATION, "ms", "ms")),
    (r"(.*_)?minutes|minutes_max|.*_minutes_max|(?!rating_).*_min", ValueKind(Kind.DURATION, "min", "min")),
    (r"(.*_)?hours|.*_h", ValueKind(Kind.DURATION, "h", "h")),
    (r"(.*_)?days|days_overdue", ValueKind(Kind.DURATION, "day", "day")),
    (r"weekday", ValueKind(Kind.WEEKDAY)),
    (r"hour", ValueKind(Kind.HOUR)),
    (r"expected_version", ValueKind(Kind.DEVELOPER)),
)
_TEXTS: tuple[tuple[str, ValueKind], ...] = (
    (r"country|.*_country|country_of_origin|default_phone_region", ValueKind(Kind.COUNTRY)),
    (r"currency|.*_currency", ValueKind(Kind.CURRENCY)),
    (r"time_zone", ValueKind(Kind.TIME_ZONE)),
    (r"language", ValueKind(Kind.LANGUAGE)),
    (r"opens|closes|quiet_from|quiet_until|cut_off|earliest|latest|due_time", ValueKind(Kind.CLOCK)),
    (r"phone|.*_phone", ValueKind(Kind.PHONE)),
    (r"email|.*_email", ValueKind(Kind.EMAIL)),
)
_LISTS: tuple[tuple[str, ValueKind], ...] = (
    (r"countries", ValueKind(Kind.COUNTRY)),
    (r"weekdays", ValueKind(Kind.WEEKDAY)),
)
_OBJECTS: tuple[tuple[str, ValueKind], ...] = (
    (
        r"texts|labels|references|credentials|variables|settings|proof|mapping|custom_fields|values",
        ValueKind(Kind.PAIRS),
    ),
    (r"segment_prices", ValueKind(Kind.PAIRS, MICRO)),
    (r"surcharges", ValueKind(Kind.PAIRS, MINOR)),
)
_ANSWERS: tuple[tuple[str, ValueKind], ...] = (
    (
        r".*_amount|(amount|balance|fee)_due|balance|(.*_)?price|refund_if_cancelled|.*_total_minor",
        ValueKind(Kind.MONEY, MINOR),
    ),
    (r"cost_micro_usd|.*_cost_micro_usd", ValueKind(Kind.MONEY, IN_USD)),
    (r"metres", ValueKind(Kind.DISTANCE, "m")),
)
"""Numbers that only answers have."""
_TABLES = {"integer": _NUMBERS, "number": _NUMBERS, "string": _TEXTS, "array": _LISTS, "object": _OBJECTS}


@lru_cache(maxsize=8192)
def kind_of(name: str, type_name: str) -> ValueKind | None:
    """Return the kind of a field, or None for plain texts and numbers."""
    field = snake_case(name)
    return next((kind for pattern, kind in _TABLES.get(type_name, ()) if re.fullmatch(pattern, field)), None)


def kind_of_value(name: str, value: object) -> ValueKind | None:
    """Return the kind of a value in an answer."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return kind_of(name, "string")
    if not isinstance(value, (int, float)):
        return None
    field = snake_case(name)
    told = next((kind for pattern, kind in _ANSWERS if re.fullmatch(pattern, field)), None)
    return told or kind_of(name, "number")
