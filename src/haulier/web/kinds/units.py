"""Units of weight, length, volume and time."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from babel.units import format_unit
from msgspec import Struct

from haulier.web.kinds.table import Kind, ValueKind

Length = Literal["short", "long", "narrow"]
_LENGTHS: tuple[Length, ...] = ("short", "long", "narrow")
IMPERIAL = frozenset({"US", "LR", "MM"})
"""Countries that weigh in pounds (CLDR measurement systems)."""


class Unit(Struct, frozen=True):
    """A unit that people type and read."""

    size: Decimal
    """In the smallest unit of its kind: grams, millimetres, metres, cubic millimetres or milliseconds."""
    cldr: str
    names: tuple[str, ...]
    decimals: int
    """The most decimals that are shown."""


def _unit(size: str, cldr: str, names: str, decimals: int) -> Unit:
    return Unit(Decimal(size), cldr, tuple(names.split()), decimals)


UNITS: Mapping[Kind, Mapping[str, Unit]] = {
    Kind.WEIGHT: {
        "g": _unit("1", "mass-gram", "g gr gram grams", 0),
        "kg": _unit("1000", "mass-kilogram", "kg kgs kilo kilos", 3),
        "t": _unit("1000000", "mass-tonne", "t ton tons tonne tonnes", 6),
        "oz": _unit("28.349523125", "mass-ounce", "oz ounce ounces", 2),
        "lb": _unit("453.59237", "mass-pound", "lb lbs pound pounds #", 3),
    },
    Kind.LENGTH: {
        "mm": _unit("1", "length-millimeter", "mm", 0),
        "cm": _unit("10", "length-centimeter", "cm", 1),
        "m": _unit("1000", "length-meter", "m", 3),
        "in": _unit("25.4", "length-inch", 'in inch inches " ″', 2),
        "ft": _unit("304.8", "length-foot", "ft foot feet ' ′", 3),
    },
    Kind.DISTANCE: {
        "m": _unit("1", "length-meter", "m", 0),
        "km": _unit("1000", "length-kilometer", "km", 3),
        "ft": _unit("0.3048", "length-foot", "ft foot feet", 1),
        "mi": _unit("1609.344", "length-mile", "mi mile miles", 4),
    },
    Kind.VOLUME: {
        "mm3": _unit("1", "", "mm3 mm³", 0),
        "cm3": _unit("1000", "volume-cubic-centimeter", "cm3 cm³ ccm cc ml", 0),
        "l": _unit("1000000", "volume-liter", "l liter liters litre litres", 6),
        "m3": _unit("1000000000", "volume-cubic-meter", "m3 m³ cbm", 6),
        "ft3": _unit("28316846.592", "volume-cubic-foot", "ft3 ft³ cuft", 6),
        "in3": _unit("16387.064", "volume-cubic-inch", "in3 in³", 5),
    },
    Kind.DURATION: {
        "ms": _unit("1", "duration-millisecond", "ms", 0),
        "s": _unit("1000", "duration-second", "s sec secs", 0),
        "min": _unit("60000", "duration-minute", "min mins", 0),
        "h": _unit("3600000", "duration-hour", "h hr hrs std", 0),
        "day": _unit("86400000", "duration-day", "d", 0),
        "week": _unit("604800000", "duration-week", "w wk", 0),
    },
}
_USUAL = {Kind.WEIGHT: "kg", Kind.LENGTH: "cm", Kind.DISTANCE: "km", Kind.VOLUME: "l"}
_IMPERIAL_FOR = {
    (Kind.WEIGHT, "kg"): "lb",
    (Kind.WEIGHT, "g"): "oz",
    (Kind.LENGTH, "cm"): "in",
    (Kind.DISTANCE, "km"): "mi",
    (Kind.DISTANCE, "m"): "ft",
    (Kind.VOLUME, "l"): "in3",
    (Kind.VOLUME, "m3"): "ft3",
}


def typed_unit(kind: ValueKind, country: str | None) -> Unit:
    """Return the unit of a number that is typed without one."""
    usual = kind.typed or _USUAL.get(kind.kind, kind.unit)
    name = _IMPERIAL_FOR.get((kind.kind, usual), usual) if country in IMPERIAL else usual
    return UNITS[kind.kind][name]


def unit_named(kind: Kind, words: str, locale: str) -> Unit | None:
    """Return the unit of a name in English, as a symbol or in the reader's language."""
    found = _names(kind, locale).get(words.casefold().strip(". ").replace(" ", ""))
    return UNITS[kind][found] if found else None


@lru_cache(maxsize=64)
def _names(kind: Kind, locale: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, unit in UNITS[kind].items():
        found |= dict.fromkeys(unit.names, name)
        for text in (*_patterns(unit, "en"), *_patterns(unit, locale)):
            found.setdefault(text.casefold().strip(". ").replace(" ", ""), name)
    return found


def _patterns(unit: Unit, locale: str) -> Iterator[str]:
    """Yield the names of a unit beside a number, the usual one first."""
    if not unit.cldr:
        return
    usual = _length(unit, locale)
    lengths: list[Length] = [usual, *(each for each in _LENGTHS if each != usual)]
    for length in lengths:
        for number in (5, 1, 2):
            text = format_unit(number, unit.cldr, length, locale=locale)
            if unit.cldr in text:  # no pattern of that length in CLDR
                break
            yield text.replace(str(number), "").replace("\N{NO-BREAK SPACE}", " ").strip()


def _length(unit: Unit, locale: str) -> Length:
    """Return how long the usual name of a unit is: `days` and `horas`, else `min`."""
    spelled = unit.cldr == "duration-day" or (unit.cldr == "duration-hour" and locale.startswith("es"))
    return "long" if spelled and not locale.startswith("zh") else "short"


def in_unit(value: Decimal, unit: Unit, locale: str, decimals: int = 0) -> str:
    """Return a quantity for reading: `12.5 kg`, `3 days`."""
    pattern = "#,##0" + ("." + "#" * decimals if decimals else "")
    number = int(value) if value == value.to_integral_value() else value
    return format_unit(number, unit.cldr, _length(unit, locale), format=pattern, locale=locale)


def unit_symbol(unit: Unit, locale: str) -> str:
    """Return the name of a unit as written after a number: `kg`, `min`, `分钟`."""
    return next(_patterns(unit, locale), unit.names[0])
