"""Zones in force for quoted, created and moved orders, in every interface."""

from typing import Any

import pytest
from tests.contexts.orders.examples import ADDRESS
from tests.contexts.places.zone_makers import make_square
from tests.contexts.places.zone_maps.steps import make_map, publish, put
from tests.support.app import App
from tests.support.transport import make_contact

INSIDE, BARRED, OUTSIDE = (43.65, -79.35), (43.655, -79.375), (44.0, -79.35)
CLOSED = {OUTSIDE: "OUTSIDE_SERVICE_AREA", BARRED: "NO_GO_ZONE"}


def at(place: tuple[float, float]) -> dict[str, Any]:
    return {**make_contact(), "lat": place[0], "lng": place[1]}


async def draw(app: App, **words: Any) -> int:
    """A service area with a no-go zone inside."""
    zone_map_id = await make_map(app)
    await put(app, zone_map_id, "here", rule="service_area", **words)
    await put(app, zone_map_id, "pit", rule="no_go", geometry=make_square(-79.38, 43.65, 0.01), **words)
    await publish(app, zone_map_id)
    return zone_map_id


async def refusal(app: App, operation: str, values: dict[str, Any], who: str = "admin") -> tuple[str, list[str]]:
    result = await app.call(who, operation, values)
    assert result.error is not None
    assert result.status == 422
    return result.error["code"], [each["field"] for each in result.error["errors"]]


@pytest.fixture
async def zoned(app: App) -> App:
    await draw(app)
    return app


async def test_an_order_to_a_no_go_zone_is_refused_at_the_visited_address(zoned: App) -> None:
    for place, code in CLOSED.items():
        for who in ("admin", "customer"):
            assert await refusal(zoned, "create_order", {"consignee": at(place)}, who) == (code, ["consignee"])
        collected = {"type": "P2P", "shipper": at(place), "consignee": at(INSIDE)}
        assert await refusal(zoned, "create_order", collected) == (code, ["shipper"])
        picked_up = {"type": "P", "shipper": at(place), "consignee": at(INSIDE)}
        assert await refusal(zoned, "create_order", picked_up) == (code, ["shipper"])
        await zoned.answer("admin", "create_order", {"shipper": at(place), "consignee": at(INSIDE)})
        await zoned.answer("admin", "create_order", {"consignee": at(place), "fulfilment": "carrier"})
    both = {"type": "P2P", "shipper": at(OUTSIDE), "consignee": at(OUTSIDE)}
    assert await refusal(zoned, "create_order", both) == ("OUTSIDE_SERVICE_AREA", ["shipper", "consignee"])


async def test_an_order_without_coordinates_is_accepted_and_checked_when_planned(zoned: App) -> None:
    created = await zoned.answer("admin", "create_order", {"consignee": ADDRESS})
    assert [warning.code for warning in created.warnings] == ["NO_COORDINATES"]


async def test_a_quote_for_a_no_go_zone_is_refused_like_the_order(zoned: App) -> None:
    for place, code in CLOSED.items():
        there = {"lat": place[0], "lng": place[1]}
        assert await refusal(zoned, "quote_delivery", {"consignee": there}) == (code, ["consignee"])
        collected = {"consignee": {"city": "Toronto"}, "shipper": there, "pickup": True}
        assert await refusal(zoned, "quote_delivery", collected) == (code, ["shipper"])
        await zoned.answer("admin", "quote_delivery", {"consignee": at(INSIDE), "shipper": there})


async def test_a_batch_refuses_orders_to_no_go_zones_and_accepts_the_rest(zoned: App) -> None:
    places = [INSIDE, *CLOSED]
    asked = {"orders": [{"consignee": at(place)} for place in places]}
    bulk = await zoned.answer("admin", "bulk_create_orders", asked)
    expected = [("created", None), *(("refused", code) for code in CLOSED.values())]
    assert [(each.state, each.code) for each in bulk.outcomes] == expected
    batch = await zoned.answer("admin", "bulk_create_orders_async", asked)
    await zoned.work_off()
    done = await zoned.answer("admin", "get_async_batch_result", {"id": batch.async_id})
    assert [(each.state, each.code) for each in done.outcomes] == expected


async def test_an_order_cannot_be_moved_into_a_no_go_zone(zoned: App) -> None:
    order = (await zoned.answer("admin", "create_order", {"consignee": at(INSIDE)})).order
    moved = {"order_id": order.id, "address": at(OUTSIDE)}
    assert await refusal(zoned, "reroute_to_address", moved) == ("OUTSIDE_SERVICE_AREA", ["consignee"])
    kept = (await zoned.answer("admin", "get_order_detail", {"order_id": order.id})).order
    assert kept.status == "NEW_ORDER"


async def test_advisory_zones_give_warnings(app: App) -> None:
    await draw(app, advisory=True)
    for place, code in CLOSED.items():
        quote = await app.answer("admin", "quote_delivery", {"consignee": at(place)})
        created = await app.answer("admin", "create_order", {"consignee": at(place)})
        bulk = await app.answer("admin", "bulk_create_orders", {"orders": [{"consignee": at(place)}]})
        for told in (quote.warnings, created.warnings, bulk.outcomes[0].warnings):
            assert [(each.field, each.code) for each in told] == [("consignee", code)]
        check = await app.answer("admin", "check_place", {"lat": place[0], "lng": place[1]})
        assert (check.closed, check.advisory) == ({"NO_GO_ZONE": "no_go"}.get(code, "outside_service_area"), True)


async def test_one_binding_service_area_makes_all_binding(app: App) -> None:
    zone_map_id = await draw(app, advisory=True)
    await put(app, zone_map_id, "there", rule="service_area", geometry=make_square(10, 50))
    await publish(app, zone_map_id)
    assert await refusal(app, "create_order", {"consignee": at(OUTSIDE)}) == ("OUTSIDE_SERVICE_AREA", ["consignee"])


async def test_the_highest_priority_zone_wins_and_ties_go_to_the_no_go_zone(zoned: App) -> None:
    zone_map_id = await make_map(zoned, "Above")
    for priority, code in ((0, "NO_GO_ZONE"), (1, None), (-1, "NO_GO_ZONE")):
        gap = make_square(-79.38, 43.65, 0.005 if priority < 1 else 0.01)
        await put(zoned, zone_map_id, "gap", rule="service_area", priority=priority, geometry=gap)
        await publish(zoned, zone_map_id)
        result = await zoned.call("admin", "create_order", {"consignee": at((43.652, -79.378))})
        assert (result.error and result.error["code"]) == code


async def test_a_repeat_returns_the_order_even_if_zones_changed(app: App) -> None:
    asked = {"consignee": at(BARRED), "order_ref": "A-1"}
    first = (await app.answer("admin", "create_order", asked)).order
    await draw(app)
    again = await app.answer("admin", "create_order", asked)
    assert (again.order.id, again.existing) == (first.id, True)


async def test_zones_add_no_statements_to_orders_and_quotes(app: App) -> None:
    async def count() -> list[int]:
        counted = []
        calls = (("quote_delivery", {"consignee": at(INSIDE)}), ("create_order", {"consignee": at(INSIDE)}))
        for operation, values in calls:
            await app.answer("admin", "check_place", {"lat": 0, "lng": 0})
            app.statements = 0
            await app.answer("admin", operation, values)
            counted.append(app.statements)
        return counted

    await count()
    without = await count()
    zone_map_id = await draw(app)
    for number in range(20):
        await put(app, zone_map_id, f"s{number}", rule="surcharge", surcharge_minor=100 + number)
    await publish(app, zone_map_id)
    await count()
    assert await count() == without


async def test_hidden_prices_hide_a_zone_surcharge_but_not_its_refusal(zoned: App) -> None:
    zone_map_id = await make_map(zoned, "Prices")
    await put(zoned, zone_map_id, "dear", rule="surcharge", surcharge_minor=250)
    await publish(zoned, zone_map_id)
    hidden = {"customer_id": zoned.ids["customer"], "hidden": ["local_delivery"]}
    await zoned.answer("admin", "set_price_visibility", hidden)
    shown = await zoned.rest("customer", "POST", "/v1/orders/rate", {"consignee": {"lat": INSIDE[0], "lng": INSIDE[1]}})
    assert "price_details" not in shown.json()["rates"][0]
    assert await refusal(zoned, "create_order", {"consignee": at(BARRED)}, "customer") == ("NO_GO_ZONE", ["consignee"])
