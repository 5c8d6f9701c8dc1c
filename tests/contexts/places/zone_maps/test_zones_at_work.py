"""Effects of zones and opening hours on quotes and route plans."""

from typing import Any

from tests.contexts.places.zone_makers import make_point, make_square
from tests.contexts.places.zone_maps.steps import make_map, publish, put
from tests.contexts.planning.builds.makers import DEPOT, QUICK_BUILD, build_and_read, make_order_at, make_small_day
from tests.support.app import App

TORONTO = {"consignee": {"lat": 43.65, "lng": -79.35}}
EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]


def reasons(build: Any) -> dict[int, str]:
    return {each.order_id: each.facts.get("why") for each in build.unassigned}


async def lines_of(app: App, **words: Any) -> dict[str, int]:
    quote = await app.answer("admin", "quote_delivery", {**TORONTO, **words})
    rate = next(rate for rate in quote.rates if rate.service == "standard")
    return {line.code: line.amount for line in rate.price_details}


async def test_a_quote_includes_the_surcharge_of_its_zone(app: App) -> None:
    plain = await lines_of(app)
    zone_map_id = await make_map(app)
    await put(app, zone_map_id, "a", rule="surcharge", surcharge_minor=250, surcharge_percent=10)
    assert await lines_of(app) == plain
    await publish(app, zone_map_id)
    assert await lines_of(app) == {**plain, "zone": 250 + round(plain["base"] / 10)}
    assert "zone" not in await lines_of(app, consignee={"lat": 43.75, "lng": -79.35})
    assert "zone" in await lines_of(app, consignee={"city": "Toronto"}, shipper={"lat": 43.65, "lng": -79.35})


async def test_a_quote_stays_valid_when_new_zones_are_published(app: App) -> None:
    zone_map_id = await make_map(app)
    await put(app, zone_map_id, "a", rule="surcharge", surcharge_minor=250)
    await publish(app, zone_map_id)
    app.clock.forward(minutes=1)
    quote = await app.answer("admin", "quote_delivery", TORONTO)
    quoted = next(rate.shipping_price for rate in quote.rates if rate.service == "standard")
    app.clock.forward(minutes=1)
    await put(app, zone_map_id, "a", rule="surcharge", surcharge_minor=1250)
    await publish(app, zone_map_id)
    place = {"name": "Zoe", "address": "1 Front St", "city": "Toronto", "country": "CA", "lat": 43.65, "lng": -79.35}

    async def price(**words: Any) -> int:
        order = (await app.answer("admin", "create_order", {"consignee": place, **words})).order
        return (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order.shipping_price

    assert await price(quote_id=quote.quote_id) == quoted
    assert await price() == quoted + 1130


async def test_orders_in_no_go_zones_and_outside_service_areas_are_excluded_from_plans(app: App) -> None:
    await make_small_day(app, orders=0)
    inside, barred, outside = [await make_order_at(app, north=north) for north in (1, 4, 9)]
    zone_map_id = await make_map(app)
    await put(app, zone_map_id, "all", rule="service_area", geometry=make_square(DEPOT[1] - 0.05, DEPOT[0], 0.06))
    await put(app, zone_map_id, "no", rule="no_go", geometry=make_square(DEPOT[1] - 0.01, DEPOT[0] + 0.03, 0.02))
    await publish(app, zone_map_id)
    build = await build_and_read(app)
    assert reasons(build) == {barred: "no_go", outside: "service_area"}
    assert [stop.order_id for route in build.routes for stop in route.stops] == [inside]
    assert build.unassigned[0].message == "The address is in a no-go zone."


async def test_territories_and_catchments_determine_the_driver(app: App) -> None:
    (first, second), _ = await make_small_day(app, orders=0)
    theirs, free = await make_order_at(app, north=1), await make_order_at(app, north=-3)
    zone_map_id = await make_map(app)
    here = make_square(DEPOT[1] - 0.05, DEPOT[0], 0.1)
    await put(app, zone_map_id, "t", rule="driver_territory", driver_ids=[first], geometry=here)
    await publish(app, zone_map_id)
    build = await build_and_read(app)
    assert {route.driver_id: [stop.order_id for stop in route.stops] for route in build.routes} == {
        first: [theirs],
        second: [free],
    }
    assert reasons(await build_and_read(app, driver_ids=[first])) == {free: "territory"}
    assert reasons(await build_and_read(app, driver_ids=[second])) == {theirs: "territory"}
    await put(app, zone_map_id, "t", rule="depot_catchment", depot_ids=[9_999], geometry=here)
    await publish(app, zone_map_id)
    assert reasons(await build_and_read(app)) == {theirs: "catchment"}


async def test_a_stop_with_opening_hours_is_planned_within_them(app: App) -> None:
    await make_small_day(app, orders=0, drivers=1)
    order, other = await make_order_at(app, north=1), await make_order_at(app, north=2)
    times = [("12:00", "12:30"), ("14:00", "15:00")]
    weekly = [{"weekdays": EVERY_DAY, "opens": opens, "closes": closes} for opens, closes in times]
    place: dict[str, Any] = {"lat": DEPOT[0] + 0.01, "lng": DEPOT[1]}
    point = await make_point(app, **place, opening_hours={"weekly": weekly})

    async def arrivals(**words: Any) -> dict[int, str]:
        build = await build_and_read(app, **words)
        return {stop.order_id: stop.start_at.isoformat()[11:13] for route in build.routes for stop in route.stops}

    assert (await arrivals())[order] == "14"
    early = {"day": "2026-06-11", "times": [{"opens": "06:00", "closes": "09:00"}]}
    changed = {"point_of_interest_id": point.id, "name": "U", "category": "dock", **place}
    for exception, hour in ((early, "08"), ({**early, "times": []}, None)):
        hours = {"weekly": weekly, "exceptions": [exception]}
        await app.answer("admin", "update_point_of_interest", {**changed, "opening_hours": hours})
        assert (await arrivals()).get(order) == hour
    assert reasons(await build_and_read(app)) == {order: "closed"}
    await app.answer("admin", "update_point_of_interest", {**changed, "opening_hours": hours, "stop_radius_m": 0})
    assert set(await arrivals()) == {order, other}


async def test_plans_use_a_constant_number_of_statements_for_zones_and_places(app: App) -> None:
    await make_small_day(app, orders=2, drivers=1)
    zone_map_id = await make_map(app)
    counted = []
    for more in (1, 20):
        for step in range(more):
            await put(app, zone_map_id, f"z{more}-{step}")
            await make_point(
                app, lat=DEPOT[0] + step / 1000, lng=DEPOT[1], opening_hours={"weekly": []}, stop_radius_m=1
            )
        await publish(app, zone_map_id)
        await app.answer("admin", "check_place", {"lat": 0, "lng": 0})
        app.statements = 0
        await app.answer("admin", "build_route", {**QUICK_BUILD, "iterations": 1})
        counted.append(app.statements)
    assert counted[1] <= counted[0]
