"""Freight classes follow from the density; prices from class, weight and zone."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contexts.freight.examples import TARIFF

from haulier.contexts.freight.tariffs.contract import SetFreightTariff
from haulier.contexts.freight.tariffs.queries import read_terms
from haulier.contexts.freight.tariffs.rules import (
    DENSITY_SCALE,
    FREIGHT_OUT_OF_AREA,
    Accessorial,
    FreightClass,
    RatedGoods,
    class_by_density,
    density_kg_m3,
    price_freight,
)
from haulier.kernel.operations.errors import OperationError

FT3, LB = 28_316_846.592, 453.59237


@pytest.mark.parametrize(
    ("pounds", "freight_class"),
    [
        (0.5, "400"),
        (1, "300"),
        (2, "250"),
        (4, "175"),
        (6, "125"),
        (8, "100"),
        (10, "92.5"),
        (12, "85"),
        (15, "70"),
        (22.5, "65"),
        (30, "60"),
        (35, "55"),
        (50, "50"),
        (200, "50"),
    ],
)
def test_each_step_of_the_density_scale_has_its_class(pounds: float, freight_class: str) -> None:
    """A cubic metre of goods, a little heavier than the step."""
    grams = round(pounds * LB * 1e9 / FT3) + 1
    assert class_by_density(grams, 10**9) == freight_class


def test_goods_a_little_lighter_than_a_step_have_the_next_class() -> None:
    assert class_by_density(int(15 * LB * 1e9 / FT3) - 1, 10**9) is FreightClass.CLASS_85


@given(st.integers(1, 10**8), st.integers(10**6, 10**12))
def test_heavier_goods_of_the_same_size_never_have_a_higher_class(weight_g: int, volume_mm3: int) -> None:
    order = [each for _, each in DENSITY_SCALE]
    lighter, heavier = (order.index(class_by_density(grams, volume_mm3)) for grams in (weight_g, weight_g * 2))
    assert heavier <= lighter


def test_density_is_in_kilograms_per_cubic_metre() -> None:
    assert density_kg_m3(250_000, 1220 * 1016 * 1200) == 168


@dataclass
class Lines:
    """Price lines by code."""

    price: Any

    @property
    def by_code(self) -> dict[str, int]:
        return {line.code: line.minor for line in self.price.lines}


def price_of(weights: dict[FreightClass, int], tariff: dict[str, Any] | None = None, **goods: Any) -> dict[str, int]:
    terms = read_terms(SetFreightTariff.model_validate({**TARIFF, **(tariff or {})}))
    usual: dict[str, Any] = {"hazardous": False, "declared_minor": 0, "accessorials": (), "country": "CA"}
    rated = RatedGoods(weight_g=weights, **{**usual, "postal_code": "M5V 2T6", **goods})
    return Lines(price_freight(terms, "CAD", rated)).by_code


C = FreightClass


def test_class_100_pays_the_rate_and_class_50_half_of_it() -> None:
    none = {"minimum_minor": 0, "fuel_basis_points": 0}
    assert price_of({C.CLASS_100: 500_000}, none) == {"linehaul": 30_000}
    assert price_of({C.CLASS_50: 500_000}, none) == {"linehaul": 15_000}
    assert price_of({C.CLASS_92_5: 500_000}, none) == {"linehaul": 27_750}


def test_a_class_can_have_its_own_share() -> None:
    share = {"class_shares": [{"freight_class": "50", "rate_basis_points": 7_000}], "fuel_basis_points": 0}
    assert price_of({C.CLASS_50: 500_000}, share)["linehaul"] == 21_000


def test_the_next_weight_step_is_used_if_it_is_cheaper() -> None:
    """Price 900 kg like 1,000 kg.

    At 60.00, they cost 540.00; at 40.00, 1,000 kg cost 400.00.
    """
    found = price_of({C.CLASS_100: 900_000}, {"fuel_basis_points": 0})
    assert found == {"linehaul": 36_000, "deficit_weight": 4_000}
    assert price_of({C.CLASS_100: 600_000}, {"fuel_basis_points": 0}) == {"linehaul": 36_000}


def test_missing_weight_is_rated_at_the_lowest_class() -> None:
    found = price_of({C.CLASS_100: 500_000, C.CLASS_50: 400_000}, {"fuel_basis_points": 0})
    assert found == {"linehaul": 28_000, "deficit_weight": 2_000}


def test_the_minimum_counts_before_fuel_and_additional_services() -> None:
    found = price_of({C.CLASS_100: 10_000}, accessorials=[Accessorial.LIFTGATE_DELIVERY])
    assert found == {"linehaul": 600, "minimum": 14_400, "fuel": 3_750, "liftgate_delivery": 7_500}


def test_the_zone_of_the_destination_changes_the_rate() -> None:
    none = {"fuel_basis_points": 0}
    assert price_of({C.CLASS_100: 500_000}, none, postal_code="b3j 1a1")["linehaul"] == 36_000
    with pytest.raises(OperationError) as refused:
        price_of({C.CLASS_100: 500_000}, none, country="US")
    assert refused.value.error_type is FREIGHT_OUT_OF_AREA


def test_hazardous_materials_and_declared_value_cost_extra() -> None:
    found = price_of({C.CLASS_100: 500_000}, hazardous=True, declared_minor=1_000_000)
    assert (found["hazardous"], found["valuation"]) == (12_000, 5_000)


@given(st.dictionaries(st.sampled_from(list(FreightClass)), st.integers(1, 10**7), min_size=1))
def test_no_shipment_costs_more_than_a_heavier_one(weights: dict[FreightClass, int]) -> None:
    heavier = {each: grams + 100_000 for each, grams in weights.items()}
    rounding = len(weights) + 2
    assert sum(price_of(weights).values()) <= sum(price_of(heavier).values()) + rounding
