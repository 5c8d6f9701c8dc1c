"""Time zones of the IANA database; countries (ISO 3166-1 alpha-2) and the currencies they use (ISO 4217), from the CLDR."""

from functools import lru_cache
from typing import LiteralString
from zoneinfo import available_timezones

from babel.core import get_global
from babel.numbers import get_territory_currencies
from pydantic_core import PydanticCustomError


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


@lru_cache(maxsize=1)
def _countries() -> frozenset[str]:
    return frozenset(str(code) for code in get_global("territory_currencies") if len(str(code)) == 2)


@lru_cache(maxsize=1)
def _currencies() -> frozenset[str]:
    return frozenset(str(code) for country in _countries() for code in get_territory_currencies(country))


def known_time_zone(name: str) -> str:
    """The name, when it is a time zone of the IANA database. Raises `ValueError` with a code."""
    return _known(name, _zones(), "unknown_time_zone")


def known_currency(code: str) -> str:
    """The code, when it is a currency that some country uses now. Raises `ValueError` with a code."""
    return _known(code, _currencies(), "unknown_currency")


def known_country(code: str) -> str:
    """The code, when it is a country. Raises `ValueError` with a code."""
    return _known(code, _countries(), "unknown_country")


def _known(text: str, all_known: frozenset[str], code: LiteralString) -> str:
    if text not in all_known:
        raise PydanticCustomError(code, "{given} is not known", {"given": text})
    return text
