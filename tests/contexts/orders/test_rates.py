"""Price of a delivery."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert

from haulier.contexts.orders.quotes.rules import (
    DEFAULT_RATE_CARD,
    Haul,
    price_haul,
    price_haul_per_service,
    road_distance_m,
)
from haulier.kernel.operations.errors import OperationError

STANDARD = DEFAULT_RATE_CARD.services[0]


def make_haul(**words: int | bool) -> Haul:
    return convert({"distance_m": 5_000, "weight_g": 1_000, **words}, Haul)


def test_the_zone_sets_the_price_and_tax_is_added() -> None:
    found = price_haul(DEFAULT_RATE_CARD, STANDARD, make_haul())
    assert (found.rate_id, found.lines[0].amount, found.tax, found.total) == ("standard:local", 799, 104, 903)


def test_the_border_belongs_to_the_zone() -> None:
    assert price_haul(DEFAULT_RATE_CARD, STANDARD, make_haul(distance_m=10_000)).zone == "local"
    assert price_haul(DEFAULT_RATE_CARD, STANDARD, make_haul(distance_m=10_001)).zone == "city"


def test_a_started_kilogram_is_charged_in_full() -> None:
    lines = price_haul(DEFAULT_RATE_CARD, STANDARD, make_haul(weight_g=5_001)).lines
    assert [(line.code, line.amount) for line in lines] == [("base", 799), ("weight", 75)]


def test_surcharges_are_itemized() -> None:
    lines = price_haul(DEFAULT_RATE_CARD, STANDARD, make_haul(cod=True, packages=3)).lines
    assert {line.code: line.amount for line in lines[1:]} == {"cod": 250, "extra_package": 700}


def test_no_service_is_offered_beyond_the_last_zone() -> None:
    with pytest.raises(OperationError):
        price_haul(DEFAULT_RATE_CARD, STANDARD, make_haul(distance_m=400_001))


@given(st.integers(0, 400_000), st.integers(0, 100_000), st.integers(1, 20))
def test_a_price_is_the_sum_of_its_lines_and_tax(distance: int, weight: int, packages: int) -> None:
    for found in price_haul_per_service(
        DEFAULT_RATE_CARD, make_haul(distance_m=distance, weight_g=weight, packages=packages)
    ):
        assert found.total == sum(line.amount for line in found.lines) + found.tax


def test_distances_follow_roads() -> None:
    assert road_distance_m((43.6532, -79.3832), (43.7615, -79.4111)) == pytest.approx(12_254 * 1.3, rel=0.01)
    assert road_distance_m(None, (0.0, 0.0)) == 10_000
