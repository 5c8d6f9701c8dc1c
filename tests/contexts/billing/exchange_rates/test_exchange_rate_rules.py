"""Rules of exchange rates: file formats, selection of rates, rounding."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contexts.billing.exchange_rates.ecb_server import DAILY_CSV, DAILY_XML, zipped

from haulier.contexts.billing.exchange_rates.rules import (
    ExchangeRateFault,
    KnownRate,
    RateSource,
    ReadRate,
    convert_money,
    find_rate,
    read_ecb_file,
)
from haulier.kernel.file_reading import ReadingLimits, UnreadableFile
from haulier.kernel.values.money import Money, currency_decimals

DAY = date(2026, 11, 27)
DAILY = [ReadRate("USD", "1.0856", DAY), ReadRate("JPY", "163.21", DAY), ReadRate("CAD", "1.5203", DAY)]


def read(content: bytes | str) -> tuple[list[ReadRate], list[tuple[int, str, ExchangeRateFault]]]:
    """Return the rates and faults of a file."""
    file = read_ecb_file.read(content.encode() if isinstance(content, str) else content, None, ReadingLimits())
    return list(file.rates), [(each.number, each.currency, each.fault) for each in file.faults]


@pytest.mark.parametrize("content", [DAILY_XML, DAILY_CSV, zipped(DAILY_CSV), "\ufeff" + DAILY_CSV])
def test_every_format_of_the_daily_file_gives_the_same_rates(content: bytes | str) -> None:
    assert read(content) == (DAILY, [])


def test_a_history_lists_rates_by_day_and_omits_missing_ones() -> None:
    rates, faults = read("Date,USD,CAD,\n2026-11-27,1.0856,N/A,\n2026-11-26,1.0801,1.52,\n")
    assert [(rate.quote, rate.valid_on.day) for rate in rates] == [("USD", 27), ("USD", 26), ("CAD", 26)]
    assert faults == []


def test_invalid_values_are_reported_and_the_rest_are_imported() -> None:
    rates, faults = read("Date,USD,CAD,CYP\n2026-11-27,1.0856,-1,0.58\n2026-13-01,1.1,,\n2026-11-25,x,1.51,\n")
    assert [(rate.quote, rate.rate) for rate in rates] == [("USD", "1.0856"), ("CAD", "1.51")]
    assert faults == [
        (2, "CAD", ExchangeRateFault.RATE),
        (3, "CYP", ExchangeRateFault.CURRENCY),
        (4, "USD", ExchangeRateFault.DAY),
        (5, "USD", ExchangeRateFault.RATE),
    ]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "name,rate\nUSD,1\n",
        "Date, USD,\n",
        "<Cube/>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><Cube>&b;</Cube>",
        b"PK\x03\x04nothing",
        zipped("Date, USD\n" + "2026-11-27, 1\n" * 200_000),
        b"\xff\xfe\x00",
    ],
)
def test_unknown_files_are_refused(content: bytes | str) -> None:
    with pytest.raises(UnreadableFile):
        read(content)


def known(base: str, quote: str, rate: str, day: int = 27, source: RateSource = RateSource.ECB) -> KnownRate:
    """Return a stored rate."""
    return KnownRate(base=base, quote=quote, rate=Decimal(rate), valid_on=date(2026, 11, day), source=source)


RATES = [known("EUR", "USD", "1.0856"), known("EUR", "CAD", "1.5203"), known("EUR", "USD", "1.0801", 26)]


@pytest.mark.parametrize(
    ("pair", "rate"), [("EUR CAD", "1.5203"), ("CAD EUR", "0.657764914819"), ("USD CAD", "1.40042372881")]
)
def test_rates_can_be_inverted_and_crossed_through_the_base_currency(pair: str, rate: str) -> None:
    source, target = pair.split()
    found = find_rate(RATES, source, target, DAY, 7)
    assert found
    assert str(found.rate).startswith(rate)


def test_the_latest_rate_on_or_before_the_day_applies_within_its_maximum_age() -> None:
    found = find_rate(RATES, "EUR", "USD", date(2026, 11, 26), 7)
    assert found
    assert (str(found.rate), found.valid_on.day) == ("1.0801", 26)
    assert find_rate(RATES, "EUR", "USD", date(2026, 11, 25), 7) is None
    assert find_rate(RATES, "EUR", "USD", date(2026, 12, 4), 7)
    assert find_rate(RATES, "EUR", "USD", date(2026, 12, 5), 7) is None


def test_a_business_rate_takes_precedence_on_its_day() -> None:
    own = known("EUR", "USD", "1.2", 27, RateSource.MANUAL)
    old = known("EUR", "USD", "1.3", 26, RateSource.MANUAL)
    found = find_rate([own, old, *RATES], "EUR", "USD", DAY, 7)
    assert found
    assert (str(found.rate), found.source) == ("1.2", RateSource.MANUAL)
    assert (find_rate([old, *RATES], "EUR", "USD", DAY, 7) or found).source is RateSource.ECB


def test_amounts_are_rounded_to_the_decimals_of_the_target_currency() -> None:
    rates = [known("EUR", "JPY", "163.215"), known("EUR", "KWD", "0.33345")]
    for currency, minor in (("JPY", 163), ("KWD", 333)):
        used = find_rate(rates, "EUR", currency, DAY, 7)
        assert used
        assert convert_money(Money(100, "EUR"), used, currency) == Money(minor, currency)


@given(
    minor=st.integers(-(10**12), 10**12),
    rate=st.decimals("0.0001", "10000", places=4),
    pair=st.permutations(["EUR", "JPY", "KWD"]),
)
def test_a_conversion_is_within_half_a_unit_of_the_exact_amount(minor: int, rate: Decimal, pair: list[str]) -> None:
    source, target = pair[:2]
    used = find_rate([known(source, target, str(rate))], source, target, DAY, 7)
    assert used
    exact = Decimal(minor) * rate * Decimal(10) ** (currency_decimals(target) - currency_decimals(source))
    assert abs(Decimal(convert_money(Money(minor, source), used, target).minor) - exact) <= Decimal("0.5")
