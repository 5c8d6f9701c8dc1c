"""Zones of hauls, and the client's rate card."""

from typing import Any

import msgspec
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import DAY, make_contact, make_order, status_and_code

from haulier.contexts.orders.quotes.rules import UNKNOWN_DISTANCE_M, Haul, RateCard, find_rate_zone, haul_distance_m

TORONTO, VANCOUVER = (43.65, -79.38), (49.28, -123.12)
NEAR: dict[str, Any] = {"code": "near", "up_to_m": 10_000, "base": 500, "postal_prefixes": ["M5", "L"]}
FAR: dict[str, Any] = {"code": "far", "up_to_m": 50_000, "base": 900, "postal_prefixes": ["M5V9"]}
SERVICE: dict[str, Any] = {"code": "standard", "name": "Standard", "percent": 100}


def make_card(**words: Any) -> dict[str, Any]:
    return {"zones": [NEAR, FAR], "services": [SERVICE], **words}


def zone(distance_m: int, postal_code: str | None = None) -> str | None:
    found = find_rate_zone(
        RateCard.model_validate(make_card()), Haul(distance_m=distance_m, weight_g=1, postal_code=postal_code)
    )
    return found and found.code


def test_the_longest_matching_postal_code_prefix_decides_the_zone() -> None:
    assert (zone(40_000, "m5v 1a1"), zone(1_000, "M5V-9A1"), zone(10**6, "L1A 1A1")) == ("near", "far", "near")


def test_an_unlisted_postal_code_falls_back_to_the_distance() -> None:
    assert [zone(distance, "K1A 0A1") for distance in (10_000, 10_001, 50_001)] == ["near", "far", None]


def test_an_address_without_coordinates_uses_the_depot_location() -> None:
    known = RateCard.model_validate(make_card(origin_lat=TORONTO[0], origin_lng=TORONTO[1]))
    unknown = RateCard.model_validate(make_card())
    assert haul_distance_m(known, None, VANCOUVER) == haul_distance_m(known, TORONTO, VANCOUVER) > 4_000_000
    assert haul_distance_m(known, VANCOUVER, None) == haul_distance_m(known, None, VANCOUVER)
    assert haul_distance_m(known, None, None) == haul_distance_m(unknown, None, VANCOUVER) == UNKNOWN_DISTANCE_M


@for_every(
    ("words", "fault"),
    [
        ({"zones": [FAR, NEAR]}, "ZONES_MUST_GROW"),
        ({"zones": [NEAR, {**FAR, "code": "near"}]}, "CODES_MUST_DIFFER"),
        ({"services": [SERVICE, SERVICE]}, "CODES_MUST_DIFFER"),
        ({"zones": [NEAR, {**FAR, "postal_prefixes": ["L"]}]}, "PREFIX_TWICE"),
        ({"zones": [{**NEAR, "code": "a\0"}]}, "TEXT_UNSTORABLE"),
        ({"tax_name": "a\0"}, "TEXT_UNSTORABLE"),
    ],
)
async def test_an_ambiguous_rate_card_is_refused_with_the_errors(app: App, words: dict[str, Any], fault: str) -> None:
    outcome = await app.call("admin", "set_rate_card", {"rate_card": make_card(**words)})
    assert outcome.status == 422
    assert [each["code"] for each in outcome.error["errors"]] == [fault]  # type: ignore[index]


async def test_a_rate_card_is_returned_in_the_format_it_was_set(app: App) -> None:
    default = await app.answer("admin", "get_rate_card")
    await app.answer("admin", "set_rate_card", {"rate_card": msgspec.to_builtins(default.rate_card)})
    again = await app.answer("employee", "get_rate_card")
    assert (default.own, again.own, again.rate_card) == (False, True, default.rate_card)
    assert (await app.answer("rival", "get_rate_card")).own is False
    assert status_and_code(await app.call("employee", "set_rate_card", {"rate_card": make_card()}))[0] == 403


async def test_quotes_and_orders_use_the_same_rate_card(app: App) -> None:
    await app.answer("admin", "set_rate_card", {"rate_card": make_card(origin_lat=TORONTO[0], origin_lng=TORONTO[1])})
    place = {"postal_code": "M5V 9A1", "lat": 43.651, "lng": -79.381}
    (rate,) = (await app.answer("customer", "quote_delivery", {"consignee": place})).rates
    order = (await app.answer("customer", "create_order", {"consignee": make_contact(**place)})).order
    assert (rate.rate_id, rate.shipping_price, order.shipping_price) == ("standard:far", 900, 900)
    beyond = {"consignee": make_contact(lat=VANCOUVER[0], lng=VANCOUVER[1], postal_code=None)}
    assert status_and_code(await app.call("customer", "create_order", beyond)) == (422, "RATE_NOT_AVAILABLE")


async def test_orders_keep_the_price_of_their_creation(app: App) -> None:
    order_id = await make_order(app)
    before = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.shipping_price
    await app.answer("admin", "set_rate_card", {"rate_card": make_card()})
    assert (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.shipping_price == before


async def test_a_business_without_a_rate_card_charges_no_foreign_tax(app: App) -> None:
    german, canadian = [(await app.answer(who, "get_rate_card")).rate_card for who in ("rival", "admin")]
    assert (canadian.tax_name, canadian.tax_basis_points) == ("HST", 1_300)
    assert (german.tax_name, german.tax_basis_points) == ("Tax", 0)
    order = {"consignee": make_contact(), "scheduled_date": DAY}
    assert (await app.answer("rival", "create_order", order)).order.shipping_price == 799
    own = {**make_card(), "tax_name": "MwSt.", "tax_basis_points": 1_900}
    await app.answer("rival", "set_rate_card", {"rate_card": own})
    assert (await app.answer("rival", "create_order", order)).order.shipping_price == 595
