"""Amounts are integer minor units, parsed and formatted without loss."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.values.money import Money, currency_decimals

AMOUNTS = st.integers(-(10**17), 10**17)
CURRENCIES = st.sampled_from(["EUR", "USD", "JPY", "KWD", "RSD", "CLP", "IQD"])


@pytest.mark.parametrize(
    ("currency", "decimals"),
    [("EUR", 2), ("JPY", 0), ("CLP", 0), ("XOF", 0), ("KWD", 3), ("IQD", 3), ("RSD", 2), ("MGA", 2), ("HUF", 2)],
)
def test_a_currency_has_the_decimals_of_iso_4217(currency: str, decimals: int) -> None:
    assert currency_decimals(currency) == decimals


@pytest.mark.parametrize("code", ["eur", "EU", "", "XXX", "XAU", "DEM", "JPY KMF", "€"])
def test_an_unknown_currency_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match="not a currency in use"):
        Money(1, code)


@pytest.mark.parametrize("minor", [1.0, Decimal(1), True, "1"])
def test_an_amount_is_always_an_integer(minor: object) -> None:
    with pytest.raises(TypeError, match="minor units"):
        Money(minor, "EUR")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [
        ("12.50", "EUR", 1250),
        ("12.5", "EUR", 1250),
        ("12", "EUR", 1200),
        ("-0.01", "EUR", -1),
        ("1200", "JPY", 1200),
        ("1.234", "KWD", 1234),
        ("007", "USD", 700),
    ],
)
def test_decimal_text_is_parsed_exactly(text: str, currency: str, minor: int) -> None:
    assert Money.parse(text, currency) == Money(minor, currency)


@pytest.mark.parametrize(
    "text", ["12.505", "1,50", "1e3", "", ".5", "5.", "--1", "+1", " 1", "1\n", "NaN", "１２", "9" * 19]
)
def test_an_invalid_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Money.parse(text, "EUR")


def test_a_currency_without_decimals_accepts_none() -> None:
    with pytest.raises(ValueError, match="JPY has 0 decimals"):
        Money.parse("12.5", "JPY")


@given(AMOUNTS, CURRENCIES)
def test_a_written_amount_is_read_back(minor: int, currency: str) -> None:
    number, code = str(Money(minor, currency)).split()
    assert Money.parse(number, code) == Money(minor, currency)


@pytest.mark.parametrize(
    ("money", "language", "shown"),
    [
        (Money(123456, "EUR"), "en", "€1,234.56"),
        (Money(123456, "EUR"), "de", "1.234,56\xa0€"),
        (Money(123456, "EUR"), "fr", "1\u202f234,56\xa0€"),
        (Money(123456, "JPY"), "zh-Hans", "JP¥123,456"),
        (Money(123456, "CNY"), "zh-Hans", "¥1,234.56"),
        (Money(-5, "USD"), "en", "-$0.05"),
        (Money(1250, "RSD"), "en", "RSD12.50"),
        (Money(1250, "KWD"), "en", "KWD1.250"),
    ],
)
def test_amounts_are_formatted_with_all_decimals_by_locale(money: Money, language: str, shown: str) -> None:
    assert money.format(language) == shown


@given(AMOUNTS, CURRENCIES, st.sampled_from(SUPPORTED_LANGUAGES))
def test_formatting_loses_no_digits(minor: int, currency: str, language: str) -> None:
    shown = "".join(filter(str.isdigit, Money(minor, currency).format(language)))
    assert int(shown) == abs(minor)


@given(AMOUNTS, AMOUNTS, CURRENCIES)
def test_amounts_of_one_currency_can_be_added(one: int, other: int, currency: str) -> None:
    assert Money(one, currency) + Money(other, currency) == Money(one + other, currency)
    assert Money(one, currency) - Money(other, currency) == Money(one - other, currency)
    assert Money(one, currency) * 3 == Money(3 * one, currency)


def test_amounts_of_two_currencies_cannot_be_added() -> None:
    with pytest.raises(ValueError, match="EUR and USD do not add up"):
        _ = Money(1, "EUR") + Money(1, "USD")


def test_a_fractional_amount_is_not_rounded_implicitly() -> None:
    with pytest.raises(TypeError, match="minor units"):
        Money(1, "EUR") * 0.5  # type: ignore[operator]
