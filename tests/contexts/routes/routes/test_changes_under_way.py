"""Routes in progress: orders added and removed, and the route aborted."""

from typing import Any

from tests.contexts.routes.routes.makers import get_route
from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route, make_started_route, order_row, status_and_code

NEW_ORDER, PLANNED, OUT_FOR_DELIVERY = 1, 3, 5


async def statuses(app: App, *order_ids: int) -> list[int]:
    """The statuses of orders."""
    return [(await order_row(app, order_id)).status for order_id in order_ids]


async def add_orders(app: App, route_id: int, *order_ids: int) -> Any:
    """Put orders on a route; the route."""
    added = await app.answer("admin", "add_orders_to_route", {"route_id": route_id, "order_ids": list(order_ids)})
    assert added.errors == []
    return added.route


async def test_a_pickup_added_to_a_started_route_is_out_for_pickup_immediately(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    assert "add_orders" in (await get_route(app, route.id)).allowed_actions
    pickup = await make_order(app, type="P")
    added = await add_orders(app, route.id, pickup)
    assert (added.stops[-1].order_id, added.stops[-1].to_load) == (pickup, False)
    assert await statuses(app, pickup) == [OUT_FOR_DELIVERY]
    await app.answer("driver", "pick_up_at_stop", {"route_id": route.id, "stop_id": added.stops[-1].id})


async def test_a_delivery_added_to_a_started_route_is_loaded_at_the_depot_first(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    late = await make_order(app)
    stop = (await add_orders(app, route.id, late)).stops[-1]
    seen = await get_route(app, route.id, who="driver")
    assert (seen.stops[-1].to_load, seen.stops[-1].allowed_actions) == (True, [])
    assert "load" in seen.allowed_actions
    assert await statuses(app, late) == [PLANNED]
    refused = await app.call("driver", "deliver_stop", {"route_id": route.id, "stop_id": stop.id})
    assert status_and_code(refused) == (409, "NOT_LOADED_YET")
    loaded = await app.answer("driver", "load_at_depot", {"route_id": route.id})
    assert (loaded.changed, loaded.errors) == (1, [])
    assert await statuses(app, late) == [OUT_FOR_DELIVERY]
    done = await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": stop.id})
    assert done.stop.status == "completed"


async def test_unloaded_orders_can_be_removed_from_a_started_route(app: App) -> None:
    aboard, pickup, unloaded = await make_order(app), await make_order(app, type="P"), await make_order(app)
    route = await make_started_route(app, [aboard, pickup])
    await add_orders(app, route.id, unloaded)
    assert "remove_orders" in (await get_route(app, route.id)).allowed_actions
    asked = {"route_id": route.id, "order_ids": [aboard, pickup, unloaded]}
    taken = await app.answer("admin", "remove_orders_from_route", asked)
    assert [(error.order_id, error.code) for error in taken.errors] == [(aboard, "GOODS_ABOARD")]
    assert [stop.order_id for stop in taken.route.stops] == [aboard]
    assert await statuses(app, pickup, unloaded) == [NEW_ORDER, NEW_ORDER]
    assert "remove_orders" not in taken.route.allowed_actions


async def make_returned_route(app: App) -> tuple[Any, dict[str, int]]:
    """Create and abort a route; return it with its orders.

    One order is delivered, one on board, and one to be collected.
    """
    orders = {
        name: await make_order(app, type=kind) for name, kind in (("done", "D"), ("aboard", "D"), ("pickup", "P"))
    }
    route = await make_started_route(app, list(orders.values()))
    await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": route.stops[0].id})
    app.clock.forward(minutes=5)
    reason = {"reason": "vehicle_breakdown", "note": "Gearbox"}
    return (await app.answer("admin", "abort_route", {"route_id": route.id, **reason})).route, orders


async def test_a_route_can_be_aborted_with_a_reason(app: App) -> None:
    route, orders = await make_returned_route(app)
    assert (route.status, route.cancel_reason, route.stops_cancelled) == ("aborted", "Gearbox", 2)
    done, aboard, pickup = route.stops
    assert (done.status, done.bring_back) == ("completed", False)
    assert (aboard.status, aboard.reason, aboard.bring_back) == ("cancelled", "route_aborted", True)
    assert (pickup.status, pickup.bring_back) == ("cancelled", False)
    assert set(route.allowed_actions) == {"return_to_depot", "hand_over"}
    assert await statuses(app, orders["aboard"], orders["pickup"]) == [OUT_FOR_DELIVERY, NEW_ORDER]
    found = (await app.answer("admin", "dispatch_exceptions", {"day": str(route.day)})).exceptions
    assert ("aborted_aboard", orders["aboard"]) in [(each.kind, each.order_id) for each in found]
    order = (await app.answer("admin", "get_order_detail", {"order_id": orders["aboard"]})).order
    timeline = (await app.rest("admin", "GET", f"/v1/otep/trackings/{order.tracking_number}")).json()["data"]
    last = timeline["events"][-1]
    assert (last["status_code"], last["incident_reason"]["code"]) == ("delayed", "vehicle_breakdown")


async def test_goods_of_an_aborted_route_are_returned_and_wait_for_another(app: App) -> None:
    route, orders = await make_returned_route(app)
    home = await app.answer("admin", "return_route_to_depot", {"route_id": route.id})
    assert (home.changed, home.errors, home.route.allowed_actions) == (1, [], [])
    assert await statuses(app, orders["done"], orders["aboard"]) == [6, NEW_ORDER]
    waiting = (await app.answer("admin", "planning_pool")).orders
    assert {order.order_id for order in waiting} == {orders["aboard"], orders["pickup"]}


async def test_goods_of_an_aborted_route_can_continue_with_another_driver(app: App) -> None:
    route, orders = await make_returned_route(app)
    other = await make_driver(app, user="driver2")
    asked = {"route_id": route.id, "driver_id": other}
    taking, left = (await app.answer("admin", "hand_over_stops", asked)).routes
    assert [(stop.order_id, stop.status) for stop in taking.stops] == [(orders["aboard"], "planned")]
    assert left.allowed_actions == []
    done = {"route_id": taking.id, "stop_id": taking.stops[0].id}
    assert (await app.answer("driver2", "deliver_stop", done)).stop.status == "completed"


async def test_the_reason_to_abort_must_be_a_timeline_reason(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    outcome = await app.call("admin", "abort_route", {"route_id": route.id, "reason": "bored"})
    assert (status_and_code(outcome), outcome.error["errors"][0]["field"]) == ((422, "INVALID_REQUEST"), "reason")


async def test_a_route_of_another_day_starts_only_on_explicit_request(app: App) -> None:
    driver_id = await make_driver(app, user="driver")

    route_id = await make_route(app, order_ids=[await make_order(app)], driver_id=driver_id, day="2026-06-12")
    refused = await app.call("driver", "start_route", {"route_id": route_id})
    assert status_and_code(refused) == (409, "ROUTE_OF_ANOTHER_DAY")
    started = await app.answer("driver", "start_route", {"route_id": route_id, "ahead_of_day": True})
    assert started.route.status == "started"
