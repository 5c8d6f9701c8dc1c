"""Surcharges of the rate card, tax rounding, and reach."""

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from pydantic import ValidationError
from tests.support.every_case import for_every

from haulier.contexts.orders.quotes.rules import (
    DEFAULT_RATE_CARD,
    Haul,
    RateCard,
    RateService,
    RateZone,
    price_haul,
    price_haul_per_service,
    road_distance_m,
)
from haulier.kernel.operations.errors import OperationError

CITY = Haul(distance_m=20_000, weight_g=1_000)


def make_card(base: int = 1_000, tax: int = 0, percent: int = 100, **words: object) -> RateCard:
    zones = [RateZone(code="one", up_to_m=50_000, base=base)]
    services = [RateService(code="only", name="Only", percent=percent)]
    return RateCard.model_validate({"zones": zones, "services": services, "tax_basis_points": tax, **words})


def total(card: RateCard, haul: Haul = CITY) -> tuple[int, int]:
    found = price_haul(card, card.services[0], haul)
    return found.tax, found.total


@given(st.integers(0, 10**9), st.integers(0, 10_000))
def test_tax_is_rounded_half_up_to_the_minor_unit(base: int, tax: int) -> None:
    exact = Decimal(base) * tax / 10_000
    rounded = int(exact.quantize(Decimal(1), ROUND_HALF_UP))
    assert total(make_card(base, tax)) == (rounded, base + rounded)


def test_half_a_cent_of_tax_is_a_cent() -> None:
    assert [total(make_card(base, 500))[0] for base in (9, 10, 29, 30)] == [0, 1, 1, 2]


def test_tax_is_calculated_on_the_total_and_not_per_line() -> None:
    card = make_card(9, 500, surcharges={"cod": 9})
    assert total(card, replace(CITY, cod=True)) == (1, 19)


def test_the_service_share_is_rounded_half_up_and_surcharges_are_unchanged() -> None:
    card = make_card(799, percent=150, surcharges={"pickup": 300})
    lines = price_haul(card, card.services[0], replace(CITY, pickup=True)).lines
    assert {line.code: line.amount for line in lines} == {"base": 1_199, "pickup": 300}


@for_every(("weight_g", "extra"), [(0, 0), (5_000, 0), (5_001, 75), (6_000, 75), (6_001, 150)])
def test_each_started_kilogram_above_the_included_weight_is_charged(weight_g: int, extra: int) -> None:
    lines = price_haul(make_card(), make_card().services[0], replace(CITY, weight_g=weight_g)).lines
    assert sum(line.amount for line in lines if line.code == "weight") == extra


@for_every(
    ("asked", "added"),
    [({"cod": True}, 250), ({"signature": True}, 150), ({"pickup": True}, 300), ({"packages": 3}, 700)],
)
def test_every_surcharge_adds_its_amount(asked: dict[str, int], added: int) -> None:
    service = DEFAULT_RATE_CARD.services[0]
    plain, more = (
        sum(line.amount for line in price_haul(DEFAULT_RATE_CARD, service, haul).lines)
        for haul in (CITY, replace(CITY, **asked))
    )
    assert more - plain == added


@pytest.mark.parametrize("zone", DEFAULT_RATE_CARD.zones, ids=lambda zone: zone.code)
def test_a_zone_ends_exactly_at_its_border(zone: RateZone) -> None:
    inside = replace(CITY, distance_m=zone.up_to_m)
    assert {each.zone for each in price_haul_per_service(DEFAULT_RATE_CARD, inside)} == {zone.code}
    outside = replace(inside, distance_m=zone.up_to_m + 1)
    if zone is DEFAULT_RATE_CARD.zones[-1]:
        with pytest.raises(OperationError) as refused:
            price_haul_per_service(DEFAULT_RATE_CARD, outside)
        assert (refused.value.error_type.id, refused.value.params["reach_km"]) == ("rate_not_available", 400)
    else:
        assert zone.code not in {each.zone for each in price_haul_per_service(DEFAULT_RATE_CARD, outside)}


def test_quotes_are_sorted_cheapest_first() -> None:
    card = DEFAULT_RATE_CARD.model_copy(update={"services": DEFAULT_RATE_CARD.services[::-1]})
    assert [each.service for each in price_haul_per_service(card, CITY)] == ["standard", "express"]


@pytest.mark.parametrize("reach", [(10, 10), (20, 10)])
def test_zone_distances_must_increase(reach: tuple[int, int]) -> None:
    with pytest.raises(ValidationError, match="grow"):
        make_card(zones=[{"code": "z", "up_to_m": each, "base": 1} for each in reach])


def test_distances_are_symmetric() -> None:
    a, b = (43.65, -79.38), (43.76, -79.41)
    assert road_distance_m(a, b) == road_distance_m(b, a) > road_distance_m(a, a) == 0


@given(st.integers(0, 10**9), st.integers(0, 10_000))
def test_a_tax_inclusive_price_is_charged_as_stated(base: int, tax: int) -> None:
    card = make_card(base, tax, tax_included=True, surcharges={"cod": 99})
    found = price_haul(card, card.services[0], CITY)
    assert found.total == base == sum(line.amount for line in found.lines) + found.tax
    both = price_haul(card, card.services[0], replace(CITY, cod=True))
    assert both.total == base + 99 == sum(line.amount for line in both.lines) + both.tax


def test_the_tax_included_in_a_price_is_stated() -> None:
    card = make_card(650, 1900, tax_included=True)
    assert total(card) == (104, 650)
