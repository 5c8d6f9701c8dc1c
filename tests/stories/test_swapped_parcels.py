"""Swapped parcels: the next route collects each one and delivers it."""

import asyncio
from typing import Any

import pytest
from tests.contexts.planning.builds.makers import build_and_read, commit_build, make_small_day
from tests.support.app import App
from tests.support.transport import DAY, make_order, make_route, order_row, set_order, status_and_code

ABSENT = {"reason": "recipient_absent", "outcome": "retry"}
UNDO = {"reason": "The two parcels were swapped."}
ELSEWHERE = {"address": "9 Bay St", "city": "Toronto", "country": "CA", "lat": 43.66, "lng": -79.39}


async def deliver_wrongly(app: App, *, finished: bool = True) -> list[int]:
    """Deliver two orders and finish the route."""
    crew, orders = await make_small_day(app, orders=2, drivers=1)
    route_id = await make_route(app, order_ids=orders, driver_id=crew[0], day=DAY)
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    for stop in route.stops[: None if finished else 1]:
        app.clock.forward(minutes=10)
        await app.answer("driver", "rider_deliver", {"route_id": route_id, "stop_id": stop.id})
    if finished:
        await app.answer("driver", "finish_route", {"route_id": route_id})
    return orders


async def undo_swapped(app: App, mine: int, other: int) -> None:
    await app.answer("admin", "undo_delivery", {"order_id": mine, **UNDO, "goods_at": {"order_id": other}})


async def get_driver_id(app: App) -> int:
    return (await app.answer("admin", "get_drivers", {})).drivers[0].id


async def detail(app: App, order_id: int, who: str = "admin") -> Any:
    return (await app.answer(who, "get_order_detail", {"order_id": order_id})).order


async def test_swapped_parcels_are_collected_at_the_wrong_addresses_and_delivered(app: App) -> None:
    first, second = await deliver_wrongly(app)
    await undo_swapped(app, first, second)
    await undo_swapped(app, second, first)
    shown = await detail(app, first)
    assert (shown.status, shown.goods_at.order_id) == ("FAILED", second)
    app.clock.forward(hours=24)
    build = await build_and_read(app)
    assert build.unassigned == []
    await commit_build(app, build)
    (route,) = (await app.answer("admin", "get_routes", {"day": "2026-06-11"})).routes
    route_id = route.id
    await app.answer("admin", "publish_route", {"route_id": route_id})
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    kinds = {id: [stop.kind for stop in route.stops if stop.order_id == id] for id in (first, second)}
    assert kinds == {first: ["pickup", "delivery"], second: ["pickup", "delivery"]}
    homes = {id: await detail(app, id) for id in (first, second)}
    for stop in route.stops:
        wrong = {first: second, second: first}[stop.order_id]
        home = homes[wrong if stop.kind == "pickup" else stop.order_id]
        assert (stop.lat, stop.lng) == (home.lat, home.lng)
        app.clock.forward(minutes=10)
        step = "pick_up" if stop.kind == "pickup" else "deliver"
        await app.answer("driver", f"rider_{step}", {"route_id": route_id, "stop_id": stop.id})
    await app.answer("driver", "finish_route", {"route_id": route_id})
    for order_id in (first, second):
        after = await detail(app, order_id)
        assert (after.status, after.goods_at) == ("DELIVERED", None)
        assert [step.step for step in after.steps][-4:] == ["start", "pick_up", "start", "deliver"]


async def test_the_wrong_address_is_shown_only_to_drivers_and_the_office(app: App) -> None:
    first, _ = await deliver_wrongly(app)
    place = {**ELSEWHERE, "address": "77 Stranger Lane"}
    await app.answer("admin", "undo_delivery", {"order_id": first, **UNDO, "goods_at": {"place": place}})
    assert (await detail(app, first, "employee")).goods_at.address == "77 Stranger Lane"
    crew = await get_driver_id(app)
    route_id = await make_route(app, order_ids=[first], driver_id=crew, day="2026-06-11")
    await app.answer("admin", "publish_route", {"route_id": route_id})
    app.clock.forward(hours=24)
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    assert route.stops[0].address == "77 Stranger Lane, Toronto"
    app.clock.forward(minutes=10)
    stop = {"route_id": route_id, "stop_id": route.stops[0].id}
    await app.answer("driver", "rider_pick_up", stop)
    number = (await detail(app, first)).tracking_number
    public = await app.rest(None, "GET", f"/v1/otep/trackings/{number}?format=otep")
    assert public.status_code == 200
    assert "Stranger" not in public.text
    assert "9 Bay" not in public.text


async def test_customers_cannot_see_the_location_of_the_goods(app: App) -> None:
    first, second = await deliver_wrongly(app)
    await set_order(app, first, customer_id=app.ids["customer"])
    await undo_swapped(app, first, second)
    assert (await detail(app, first)).goods_at is not None
    assert (await detail(app, first, "customer")).goods_at is None


async def test_goods_brought_to_the_depot_are_loaded_there(app: App) -> None:
    first, second = await deliver_wrongly(app)
    await undo_swapped(app, first, second)
    await app.answer("admin", "update_goods_at", {"order_id": first, "goods_at": None, "reason": "Brought back."})
    assert (await detail(app, first)).goods_at is None
    route_id = await make_route(app, order_ids=[first])
    route = (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route
    assert [stop.kind for stop in route.stops] == ["delivery"]
    on_route = {"order_id": first, "goods_at": {"order_id": second}}
    assert status_and_code(await app.call("admin", "update_goods_at", on_route)) == (409, "ORDER_STEP_REFUSED")


async def test_collected_goods_returned_to_the_depot_are_loaded_there(app: App) -> None:
    first, second = await deliver_wrongly(app)
    await undo_swapped(app, first, second)
    crew = await get_driver_id(app)
    route_id = await make_route(app, order_ids=[first], driver_id=crew, day="2026-06-11")
    await app.answer("admin", "publish_route", {"route_id": route_id})
    app.clock.forward(hours=24)
    pickup, delivery = (await app.answer("driver", "start_route", {"route_id": route_id})).route.stops
    app.clock.forward(minutes=10)
    await app.answer("driver", "rider_pick_up", {"route_id": route_id, "stop_id": pickup.id})
    failure = {"reason": "recipient_absent", "outcome": "retry"}
    await app.answer("admin", "fail_stop", {"route_id": route_id, "stop_id": delivery.id, **failure})
    await app.answer("driver", "return_route_to_depot", {"route_id": route_id})
    await app.answer("driver", "finish_route", {"route_id": route_id})
    again = await make_route(app, order_ids=[first], day="2026-06-12")
    route = (await app.answer("admin", "get_route_detail", {"route_id": again})).route
    assert [stop.kind for stop in route.stops] == ["delivery"]


async def make_collection_under_way(app: App, order_id: int) -> tuple[dict[str, int], dict[str, int]]:
    """Start a route that collects an order and delivers it; the two visits."""
    route_id = await make_route(app, order_ids=[order_id], driver_id=await get_driver_id(app), day="2026-06-11")
    await app.answer("admin", "publish_route", {"route_id": route_id})
    app.clock.forward(hours=24)
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    app.clock.forward(minutes=10)
    pickup, delivery = ({"route_id": route_id, "stop_id": stop.id} for stop in route.stops)
    return pickup, delivery


@pytest.mark.parametrize("failure", [ABSENT, {"reason": "refused", "outcome": "return"}])
async def test_a_failed_pickup_leaves_the_goods_in_place(app: App, failure: dict[str, str]) -> None:
    first, second = await deliver_wrongly(app)
    await undo_swapped(app, first, second)
    pickup, _ = await make_collection_under_way(app, first)
    await app.answer("admin", "fail_stop", {**pickup, **failure})
    route = (await app.answer("driver", "get_route_detail", {"route_id": pickup["route_id"]})).route
    assert "finish" in route.allowed_actions
    await app.answer("driver", "finish_route", {"route_id": pickup["route_id"]})
    shown = await detail(app, first)
    assert (shown.status, shown.goods_at.order_id) == ("FAILED", second)
    again = await make_route(app, order_ids=[first], day="2026-06-12")
    route = (await app.answer("admin", "get_route_detail", {"route_id": again})).route
    assert [stop.kind for stop in route.stops] == ["pickup", "delivery"]


@pytest.mark.parametrize(("operation", "status"), [("cancel_order", "CANCELLED"), ("return_order", "RETURNED")])
async def test_a_finished_order_has_no_location_of_goods(app: App, operation: str, status: str) -> None:
    first, second = await deliver_wrongly(app)
    await undo_swapped(app, first, second)
    await app.answer("admin", operation, {"order_id": first})
    shown = await detail(app, first)
    assert (shown.status, shown.goods_at) == (status, None)


async def test_the_location_can_be_corrected_only_while_the_order_waits(app: App) -> None:
    first, second = await deliver_wrongly(app)
    asked = {"order_id": first, "goods_at": {"order_id": second}}

    async def is_offered() -> bool:
        offered = "update_goods_at" in (await detail(app, first)).allowed_actions
        listed = (await app.answer("admin", "get_orders", {})).orders
        assert [offered] == ["update_goods_at" in order.allowed_actions for order in listed if order.id == first]
        tried = await app.call("admin", "update_goods_at", asked, dry_run=True)
        assert (tried.status == 200) == offered
        return offered

    assert not await is_offered()
    await undo_swapped(app, first, second)
    assert await is_offered()
    await app.answer("admin", "hold_order", {"order_id": first})
    assert await is_offered()
    await app.answer("admin", "release_order", {"order_id": first})
    route_id = await make_route(app, order_ids=[first], day="2026-06-11")
    assert not await is_offered()
    await app.answer("admin", "remove_orders_from_route", {"route_id": route_id, "order_ids": [first]})
    assert await is_offered()
    await app.answer("admin", "cancel_order", {"order_id": first})
    assert not await is_offered()
    assert "update_goods_at" not in (await detail(app, await make_order(app))).allowed_actions


async def test_the_recipients_name_and_the_correction_are_shown_and_recorded(app: App) -> None:
    first, second = await deliver_wrongly(app)
    await undo_swapped(app, first, second)
    moved = {"goods_at": {"place": ELSEWHERE, "name": "The porter"}, "reason": "Carried over"}
    await app.answer("admin", "update_goods_at", {"order_id": first, **moved})
    shown = await detail(app, first)
    assert (shown.goods_at.name, shown.goods_at.address, shown.goods_at.order_id) == ("The porter", "9 Bay St", None)
    assert (shown.steps[-1].step, shown.steps[-1].reason) == ("update_goods_at", "Carried over")


async def test_two_concurrent_corrections_leave_one_location(app: App) -> None:
    first, second = await deliver_wrongly(app)
    await undo_swapped(app, first, second)
    asked = [{"order_id": second}, {"place": ELSEWHERE}]
    outcomes = await asyncio.gather(
        *(app.call("admin", "update_goods_at", {"order_id": first, "goods_at": place}) for place in asked)
    )
    assert [outcome.status for outcome in outcomes] == [200, 200]
    shown = await detail(app, first)
    assert (shown.goods_at.order_id, shown.goods_at.address) in [(second, shown.consignee.address), (None, "9 Bay St")]
    assert [step.step for step in shown.steps].count("update_goods_at") == 2


async def test_the_driver_corrects_the_swap_during_the_route(app: App) -> None:
    first, second = await deliver_wrongly(app, finished=False)
    delivered = first if (await detail(app, first)).status == "DELIVERED" else second
    asked = {"order_id": delivered, **UNDO, "goods_at": {"place": ELSEWHERE}}
    assert status_and_code(await app.call("admin", "undo_delivery", asked)) == (409, "GOODS_ON_ROUTE")
    assert (await detail(app, delivered)).status == "DELIVERED"


async def test_unknown_locations_are_refused_by_field(app: App) -> None:
    first, second = await deliver_wrongly(app)
    await set_order(app, second, consignee={"name": "Ada", "address": "1 A St", "city": "Toronto", "country": "CA"})
    nowhere = {name: value for name, value in ELSEWHERE.items() if name != "lat"}
    for goods_at in (
        {"order_id": first},
        {"order_id": second},
        {"order_id": 999_999},
        {},
        {"place": nowhere},
        {"order_id": second, "place": ELSEWHERE},
    ):
        refused = await app.call("admin", "undo_delivery", {"order_id": first, **UNDO, "goods_at": goods_at})
        assert status_and_code(refused) == (422, "INVALID_REQUEST")
        assert refused.error["errors"][0]["field"].startswith("goods_at")
    assert (await detail(app, first)).status == "DELIVERED"


async def test_another_businesss_order_is_neither_changed_nor_named(app: App) -> None:
    first, second = await deliver_wrongly(app)
    theirs = {"order_id": first, "goods_at": None}
    assert status_and_code(await app.call("rival", "update_goods_at", theirs)) == (404, "NOT_FOUND")
    named = {"order_id": first, **UNDO, "goods_at": {"order_id": await make_order(app, "rival")}}
    assert status_and_code(await app.call("admin", "undo_delivery", named)) == (422, "INVALID_REQUEST")
    await undo_swapped(app, first, second)
    assert (await detail(app, first)).goods_at.order_id == second


async def test_two_concurrent_undo_calls_record_one_location(app: App) -> None:
    first, second = await deliver_wrongly(app)
    asked = {"order_id": first, **UNDO}
    outcomes = await asyncio.gather(
        app.call("admin", "undo_delivery", {**asked, "goods_at": {"order_id": second}}),
        app.call("employee", "undo_delivery", {**asked, "goods_at": {"place": ELSEWHERE}}),
    )
    assert sorted(outcome.status for outcome in outcomes) == [200, 409]
    won = [outcome.status for outcome in outcomes].index(200)
    assert (await detail(app, first)).goods_at.order_id == [second, None][won]


async def test_concurrent_planning_and_moving_of_goods_are_consistent(app: App) -> None:
    first, second = await deliver_wrongly(app)
    await undo_swapped(app, first, second)
    route_id = await make_route(app)
    await asyncio.gather(
        app.call("admin", "add_orders_to_route", {"route_id": route_id, "order_ids": [first]}),
        app.call("employee", "update_goods_at", {"order_id": first, "goods_at": None}),
    )
    route = (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route
    elsewhere = (await order_row(app, first)).goods_at is not None
    assert [stop.kind for stop in route.stops] == (["pickup", "delivery"] if elsewhere else ["delivery"])
