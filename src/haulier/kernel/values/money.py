"""Money in integer minor units of an ISO 4217 currency. Amounts are never floats."""

import re
from collections.abc import Callable, Sequence
from copy import copy
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import TypeVar

from babel import Locale
from babel.core import get_global
from babel.numbers import NumberPattern, get_territory_currencies
from msgspec import Struct

T = TypeVar("T")
_OLDEST, _NEWEST = date(2026, 1, 1), date(9999, 12, 31)
"""Currencies that were legal tender at any time since 2026 stay valid."""

_NO_DECIMALS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
_THREE_DECIMALS = "BHD IQD JOD KWD LYD OMR TND"
"""Currencies without two decimals in ISO 4217. CLDR lists the decimals of everyday prices instead (none for RSD)."""

_AMOUNT = re.compile(r"(-?)([0-9]{1,18})(?:\.([0-9]+))?")


class Money(Struct, frozen=True):
    """An amount in minor units (cents for EUR).

    Raises `ValueError` for a currency that is not in use.
    """

    minor: int
    currency: str

    def __post_init__(self) -> None:
        if type(self.minor) is not int:
            raise TypeError("an amount is a whole number of minor units")
        currency_decimals(self.currency)

    @classmethod
    def parse(cls, text: str, currency: str) -> "Money":
        """Parse `12`, `12.5` or `-12.50`.

        Raises `ValueError` for other text and for too many decimals.
        """
        match = _AMOUNT.fullmatch(text)
        if not match:
            raise ValueError(f"{text!r} is not an amount")
        sign, whole, decimals = match[1], match[2], match[3] or ""
        digits = currency_decimals(currency)
        if len(decimals) > digits:
            raise ValueError(f"{currency} has {digits} decimals")
        return cls(int(f"{sign}{whole}{decimals.ljust(digits, '0')}"), currency)

    @property
    def major(self) -> Decimal:
        """Amount in major units: 12.50 for 1250 cents."""
        digits = tuple(map(int, str(abs(self.minor))))
        return Decimal((int(self.minor < 0), digits, -currency_decimals(self.currency)))

    def __str__(self) -> str:
        """Return the amount for machines with all decimals: `12.50 EUR`.

        `parse` reads the number.
        """
        return f"{self.major:f} {self.currency}"

    def format(self, language: str) -> str:
        """Return the amount for people in a BCP 47 language, with all decimals: `12,50 €`."""
        pattern = _currency_pattern(language, currency_decimals(self.currency))
        return pattern.apply(self.major, Locale.parse(language, sep="-"), currency=self.currency, currency_digits=False)

    def __add__(self, other: "Money") -> "Money":
        """Return the sum. Raises `ValueError` for a different currency."""
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} and {other.currency} do not add up")
        return Money(self.minor + other.minor, self.currency)

    def __neg__(self) -> "Money":
        return Money(-self.minor, self.currency)

    def __sub__(self, other: "Money") -> "Money":
        """Return the difference. Raises `ValueError` for a different currency."""
        return self + -other

    def __mul__(self, times: int) -> "Money":
        """Return a multiple of the amount."""
        return Money(self.minor * times, self.currency)


def list_comparable(items: Sequence[T], price_of: Callable[[T], Money], currency: str) -> list[T]:
    """Return the items with comparable prices in order: those in `currency`.

    Without any, returns all items if they share one currency, and none otherwise.
    """
    own = [item for item in items if price_of(item).currency == currency]
    if own:
        return own
    return list(items) if len({price_of(item).currency for item in items}) == 1 else []


def find_cheapest(items: Sequence[T], price_of: Callable[[T], Money], currency: str) -> T | None:
    """Return the first of the cheapest comparable items, or None.

    See `list_comparable`.
    """
    return min(list_comparable(items, price_of, currency), key=lambda item: price_of(item).minor, default=None)


def currency_decimals(currency: str) -> int:
    """Return the number of decimals of a currency.

    Raises `ValueError` for one that is not in use.
    """
    if currency not in _currencies_in_use():
        raise ValueError(f"{currency!r} is not a currency in use")
    return 0 if currency in _NO_DECIMALS else 3 if currency in _THREE_DECIMALS else 2


def list_currencies() -> list[str]:
    """Return the codes of the currencies in use."""
    return sorted(_currencies_in_use())


@lru_cache(maxsize=1)
def _currencies_in_use() -> frozenset[str]:
    countries = (str(code) for code in get_global("territory_currencies") if len(str(code)) == 2)
    return frozenset(code for country in countries for code in get_territory_currencies(country, _OLDEST, _NEWEST))


@lru_cache(maxsize=64)
def _currency_pattern(language: str, digits: int) -> NumberPattern:
    """Return a language's currency pattern with a number of decimals.

    Copies the shared pattern of the locale.
    """
    pattern = copy(Locale.parse(language, sep="-").currency_formats["standard"])
    pattern.frac_prec = (digits, digits)
    return pattern
