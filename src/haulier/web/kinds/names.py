"""Countries, currencies, time zones and languages by name."""

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from zoneinfo import available_timezones

from babel import Locale
from babel.numbers import get_currency_symbol

from haulier.kernel.values.countries import country_codes, time_zones_by_country
from haulier.kernel.values.money import list_currencies
from haulier.web.i18n import NATIVE_LANGUAGE_NAMES
from haulier.web.kinds.habits import Habits
from haulier.web.kinds.numbers import InputFault
from haulier.web.kinds.table import Kind

CANDIDATES_MAX = 4


def options_of(kind: Kind, habits: Habits) -> Mapping[str, str]:
    """Return codes by name, sorted by name."""
    return _options(kind, habits.locale)


def name_of(kind: Kind, code: str, habits: Habits) -> str:
    """Return the name of a code; an unknown code is returned as it is."""
    if kind is Kind.LANGUAGE:
        return NATIVE_LANGUAGE_NAMES.get(code, code)
    if kind is Kind.TIME_ZONE:
        return _zone_name(code, habits.locale)
    return _codes(kind, habits.locale).get(code, code)


def code_of(kind: Kind, text: str, habits: Habits) -> str:
    """Return the code of a typed name, in part or whole. Raises `InputFault`."""
    typed = fold(text)
    options = options_of(kind, habits)
    exact = {code for name, code in options.items() if typed in (fold(name), fold(code), fold(_bare(name)))}
    if kind is Kind.CURRENCY:
        exact |= {code for code in options.values() if typed == fold(get_currency_symbol(code, habits.locale))}
    return one_of(text, exact, options)


def one_of(text: str, exact: set[str], options: Mapping[str, str]) -> str:
    """Return the only value that a text names, in part or whole. Raises `InputFault`."""
    if len(exact) == 1:
        return exact.pop()
    typed = fold(text)
    starting = {value: name for name, value in options.items() if fold(name).startswith(typed)}
    holding = starting or {value: name for name, value in options.items() if typed in fold(name)}
    if len(holding) == 1:
        return next(iter(holding))
    if not holding:
        raise InputFault("kinds.unknown_choice", given=text)
    raise InputFault("kinds.several_choices", given=text, names="; ".join(list(holding.values())[:CANDIDATES_MAX]))


def fold(text: str) -> str:
    """Return a text for comparison, without case, accents and punctuation."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in plain if each.isalnum() or each in "$€£¥₹")


def _bare(name: str) -> str:
    return name.partition(" (")[0].partition(", ")[0]


@lru_cache(maxsize=32)
def _options(kind: Kind, locale: str) -> Mapping[str, str]:
    codes = _codes(kind, locale)
    return {name: code for code, name in sorted(codes.items(), key=lambda each: fold(each[1]))}


@lru_cache(maxsize=32)
def _codes(kind: Kind, locale: str) -> Mapping[str, str]:
    names = Locale.parse(locale)
    if kind is Kind.COUNTRY:
        return {code: str(names.territories.get(code, code)) for code in country_codes()}
    if kind is Kind.CURRENCY:
        return {code: _currency_name(code, names, locale) for code in list_currencies()}
    if kind is Kind.TIME_ZONE:
        known = {zone: _zone_name(zone, locale) for zone in _zone_countries()}
        return {**known, "UTC": "UTC"}
    return NATIVE_LANGUAGE_NAMES


def _currency_name(code: str, names: Locale, locale: str) -> str:
    name = str(names.currencies.get(code, code))
    return f"{name[:1].upper()}{name[1:]} ({get_currency_symbol(code, locale)})"


@lru_cache(maxsize=4096)
def _zone_name(zone: str, locale: str) -> str:
    """Return the place of a time zone: `Berlin, Germany`."""
    if zone not in _zone_countries() and "/" not in zone:
        return zone
    names = Locale.parse(locale)
    told = names.time_zones.get(zone, {})
    city = str(told.get("city") or zone.rpartition("/")[2].replace("_", " "))
    country = names.territories.get(_zone_countries().get(zone, ""))
    return f"{city}, {country}" if country and str(country) != city else city


@lru_cache(maxsize=1)
def _zone_countries() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for zone, country in time_zones_by_country():
        if zone in available_timezones():
            found.setdefault(zone, country)
    return found
