"""Storage prices over time."""

from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.storage.storage_orders.rules import (
    PriceInterval,
    PriceTier,
    Stay,
    StorageTerms,
    StorageUnit,
    StoredSize,
    first_of_next_month,
    local_day,
    price_of_stays,
    price_with_minimum,
)
from haulier.kernel.values.rounding import divide_half_up

BOX = StoredSize(weight_g=1_500, length_mm=1_000, width_mm=500, height_mm=500)
FIRST = date(2027, 1, 1)


def terms(*tiers: tuple[int, int], interval: str = "day", unit: str = "package", **more: int) -> StorageTerms:
    return StorageTerms(
        currency="CAD",
        unit=StorageUnit(unit),
        interval=PriceInterval(interval),
        tiers=tuple(PriceTier(*tier) for tier in tiers),
        **more,
    )


def price(of: StorageTerms, began: date, days: int, ended: date | None = None) -> int:
    return price_of_stays(of, [Stay(BOX, began, ended)], began + timedelta(days=days))


def test_the_arrival_day_counts_and_the_departure_day_does_not() -> None:
    daily = terms((1, 100))
    assert [price(daily, FIRST, 30, FIRST + timedelta(days=days)) for days in (0, 1, 2)] == [0, 100, 200]


def test_each_day_is_priced_by_its_tier_and_free_days_count_towards_tiers() -> None:
    tiered = terms((1, 100), (4, 10), free_days=2)
    assert [price(tiered, FIRST, days) for days in (1, 2, 3, 4, 5)] == [0, 0, 100, 110, 120]


def test_a_full_month_costs_the_same_for_any_length() -> None:
    monthly = terms((1, 1_000), interval="month")
    for month in (date(2027, 1, 1), date(2027, 2, 1), date(2028, 2, 1), date(2027, 4, 1)):
        assert price(monthly, month, (first_of_next_month(month) - month).days) == 1_000
    assert price(monthly, date(2027, 1, 31), 2) == divide_half_up(
        *(Fraction(1_000, 31) + Fraction(1_000, 28)).as_integer_ratio()
    )


def test_a_price_is_per_package_kilogram_or_cubic_metre() -> None:
    prices = {unit: price(terms((1, 1_000), unit=unit), FIRST, 1) for unit in ("package", "kilogram", "cubic_metre")}
    assert prices == {"package": 1_000, "kilogram": 1_500, "cubic_metre": 250}


def test_a_clock_change_neither_adds_nor_removes_a_day() -> None:
    zone = ZoneInfo("America/Toronto")
    for came, left in (("2027-03-13T23:30", "2027-03-15T00:30"), ("2027-11-06T23:30", "2027-11-08T00:30")):
        began, ended = (local_day(datetime.fromisoformat(each).replace(tzinfo=zone), zone) for each in (came, left))
        assert price(terms((1, 100)), began, 60, ended) == 200
    assert local_day(datetime(2027, 3, 1, 4, 30, tzinfo=UTC), zone) == date(2027, 2, 28)


def test_halves_are_rounded_up_once_for_all_packages_together() -> None:
    litre = StoredSize(weight_g=1, length_mm=100, width_mm=100, height_mm=100)
    stays = [Stay(litre, FIRST)] * 5
    assert price_of_stays(terms((1, 100), unit="cubic_metre"), stays, FIRST + timedelta(days=1)) == 1
    assert price_of_stays(terms((1, 100), unit="cubic_metre"), stays[:4], FIRST + timedelta(days=1)) == 0


def test_an_order_costs_at_least_its_minimum() -> None:
    least = terms((1, 100), minimum_minor=250)
    assert [price_with_minimum(least, amount) for amount in (0, 250, 251)] == [250, 250, 251]


TERMS = st.builds(
    lambda first, more, interval, unit, free: terms(
        (1, first),
        *((day, amount) for day, amount in sorted(more.items())),
        interval=interval,
        unit=unit,
        free_days=free,
    ),
    st.integers(0, 5_000),
    st.dictionaries(st.integers(2, 90), st.integers(0, 5_000), max_size=3),
    st.sampled_from(["day", "month"]),
    st.sampled_from(["package", "kilogram", "cubic_metre"]),
    st.integers(0, 20),
)
STAYS = st.lists(
    st.builds(
        lambda size, begins, days: Stay(
            StoredSize(weight_g=size, length_mm=size, width_mm=700, height_mm=300),
            FIRST + timedelta(days=begins),
            None if days is None else FIRST + timedelta(days=begins + days),
        ),
        st.integers(1, 3_000),
        st.integers(0, 80),
        st.none() | st.integers(0, 120),
    ),
    max_size=4,
)


@given(TERMS, STAYS, st.lists(st.integers(0, 250), max_size=5))
def test_periods_split_anywhere_add_up_to_the_total_and_none_is_negative(
    of: StorageTerms, stays: list[Stay], cuts: list[int]
) -> None:
    days = [0, *sorted(cuts), 250]
    sums = [price_of_stays(of, stays, FIRST + timedelta(days=day)) for day in days]
    parts = [after - before for before, after in pairwise(sums)]
    assert sums[0] == 0
    assert sum(parts) == price_of_stays(of, stays, FIRST + timedelta(days=250))
    assert min(parts) >= 0


@given(TERMS, STAYS)
def test_a_price_is_the_sum_of_its_days(of: StorageTerms, stays: list[Stay]) -> None:
    whole = price_of_stays(of, stays, FIRST + timedelta(days=200))
    day_by_day = Fraction()
    for stay in stays:
        units = {
            "package": Fraction(1),
            "kilogram": Fraction(stay.size.weight_g, 1000),
            "cubic_metre": Fraction(stay.size.length_mm * 700 * 300, 10**9),
        }[of.unit.value]
        for number in range(1, 201):
            day = stay.began + timedelta(days=number - 1)
            if day >= (stay.ended or FIRST + timedelta(days=200)) or day >= FIRST + timedelta(days=200):
                break
            if number <= of.free_days:
                continue
            tier = [tier for tier in of.tiers if tier.from_day <= number][-1]
            month = (first_of_next_month(day) - day.replace(day=1)).days if of.interval == "month" else 1
            day_by_day += units * Fraction(tier.price_minor, month)
    assert whole == divide_half_up(*day_by_day.as_integer_ratio())
