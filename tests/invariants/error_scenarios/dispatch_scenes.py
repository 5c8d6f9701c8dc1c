"""Errors of contractors' orders, drivers, and routes in every state."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import DAY, make_order, make_route, set_order

from haulier.contexts.orders.public import OrderStatus

HANDING_OVER = {
    ("deliver_stop", "rider_deliver"): "moved_delivery",
    ("pick_up_at_stop", "rider_pick_up"): "moved_pickup",
}


async def scene(app: App) -> dict[str, Any]:
    """Create empty, active and completed routes, and a contractor with an order."""
    depot = (
        await app.answer("admin", "create_depot", {"name": "D", "address": "1 Bay", "lat": 43.6, "lng": -79.3})
    ).depot
    dan = (await app.answer("admin", "create_driver", {"name": "Dan", "user_id": app.ids["driver"]})).driver
    eve = (await app.answer("admin", "create_driver", {"name": "Eve"})).driver
    plan = {"day": DAY, "depot_id": depot.id, "driver_id": dan.id, "name": "R"}
    ids: dict[str, Any] = {"user": app.ids["driver"], "dan": dan.id, "eve": eve.id}
    for name in ("empty", "over", "going", "planned", "moved"):
        ids[name] = (await app.answer("admin", "create_route", plan)).route.id
    await app.answer("admin", "cancel_route", {"route_id": ids["over"]})
    orders = [await make_order(app) for _ in range(4)]
    pair = await make_order(app, type="P2P")
    await app.answer("admin", "add_orders_to_route", {"route_id": ids["going"], "order_ids": orders})
    await app.answer("admin", "add_orders_to_route", {"route_id": ids["planned"], "order_ids": [pair]})
    ids["pair"] = await _stops(app, ids["planned"])
    await app.answer("driver", "start_route", {"route_id": ids["going"]})
    ids["stops"] = await _stops(app, ids["going"])
    await app.answer("driver", "arrive_at_stop", {"route_id": ids["going"], "stop_id": ids["stops"][0]})
    await app.answer("driver", "deliver_stop", {"route_id": ids["going"], "stop_id": ids["stops"][0]})
    await app.answer("driver", "arrive_at_stop", {"route_id": ids["going"], "stop_id": ids["stops"][1]})
    gone = {"route_id": ids["going"], "stop_id": ids["stops"][1], "reason": "recipient_absent", "outcome": "return"}
    await app.answer("driver", "fail_stop", gone)
    unseen = {"route_id": ids["going"], "stop_id": ids["stops"][2], "occurred_at": "2026-06-10T13:00:00Z"}
    await app.answer("driver", "deliver_stop", unseen)
    ids["order"] = await make_order(app)
    return {**ids, **await _moved_on(app, ids["moved"]), "theirs": await _on_a_contractors_route(app)}


async def _moved_on(app: App, route_id: int) -> dict[str, int]:
    """Create active stops whose orders ended outside of the route."""
    orders = [await make_order(app, type=kind) for kind in ("D", "P", "D")]
    await app.answer("admin", "add_orders_to_route", {"route_id": route_id, "order_ids": orders})
    await app.answer("driver", "start_route", {"route_id": route_id})
    delivery, pickup, failed = await _stops(app, route_id)
    absent = {"route_id": route_id, "stop_id": failed, "reason": "recipient_absent", "outcome": "retry"}
    await app.answer("driver", "fail_stop", absent)
    for order in orders:
        await set_order(app, order, status=OrderStatus.CANCELLED.value)
    return {"moved_delivery": delivery, "moved_pickup": pickup, "moved_failed": failed}


async def _on_a_contractors_route(app: App) -> int:
    order = await make_order(app)
    await app.answer("admin", "assign_orders_to_broker", {"order_ids": [order], "broker_id": app.ids["contractor"]})
    await make_route(app, who="contractor", order_ids=[order])
    return order


async def _stops(app: App, route_id: int) -> list[int]:
    return [stop.id for stop in (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route.stops]


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    over, going, empty = {"route_id": ids["over"]}, {"route_id": ids["going"]}, {"route_id": ids["empty"]}
    stops, pair = ids["stops"] or [1, 2], ids["pair"] or [1, 2]
    done = {**going, "stop_id": stops[0]}
    missed = {**going, "stop_id": stops[1]}
    not_begun = {"route_id": ids["planned"], "stop_id": pair[0]}
    failed = {"reason": "recipient_absent", "outcome": "return"}
    return {
        ("set_module", "MODULE_HOLDS_WORK"): (
            "admin",
            {"module": "broker_order_assignments", "enabled": False},
        ),
        ("create_driver", "DRIVER_USER_TAKEN"): ("admin", {"name": "X", "user_id": ids["user"]}),
        ("update_driver", "DRIVER_USER_TAKEN"): ("admin", {"driver_id": ids["eve"], "user_id": ids["user"]}),
        ("invite_driver", "DRIVER_HAS_ACCOUNT"): ("admin", {"driver_id": ids["dan"], "email": "dan@drivers.example"}),
        ("invite_driver", "EMAIL_TAKEN"): ("admin", {"driver_id": ids["eve"], "email": "customer@demo.example"}),
        ("release_broker_order_assignment", "NOT_ASSIGNED_TO_YOU"): ("contractor", {"order_id": ids["order"]}),
        ("release_broker_order_assignment", "ORDER_ON_ROUTE"): ("contractor", {"order_id": ids["theirs"]}),
        ("start_route", "ROUTE_EMPTY"): ("admin", empty),
        ("start_route", "ROUTE_CANNOT"): ("admin", over),
        ("cancel_route", "ROUTE_CANNOT"): ("admin", over),
        ("finish_route", "ROUTE_CANNOT"): ("admin", over),
        ("finish_route", "ROUTE_HAS_OPEN_STOPS"): ("admin", going),
        ("return_route_to_depot", "ROUTE_CANNOT"): ("admin", over),
        ("assign_route_driver", "ROUTE_CANNOT"): ("admin", {**over, "driver_id": ids["dan"]}),
        ("add_orders_to_route", "ROUTE_CANNOT"): ("admin", {**over, "order_ids": [ids["order"]]}),
        ("remove_orders_from_route", "ROUTE_CANNOT"): ("admin", {**over, "order_ids": [ids["order"]]}),
        ("reorder_stops", "ROUTE_CANNOT"): ("admin", {**over, "stop_ids": [stops[0]]}),
        ("reorder_stops", "STOPS_DO_NOT_MATCH"): ("admin", {"route_id": ids["planned"], "stop_ids": pair[:1]}),
        ("reorder_stops", "PICKUP_COMES_FIRST"): ("admin", {"route_id": ids["planned"], "stop_ids": pair[::-1]}),
        ("arrive_at_stop", "STOP_CANNOT"): ("driver", {**going, "stop_id": (ids["stops"] or [1, 2, 3])[2]}),
        ("deliver_stop", "STOP_CANNOT"): ("driver", missed),
        ("deliver_stop", "ROUTE_CANNOT"): ("admin", {**not_begun, "stop_id": pair[1]}),
        ("fail_stop", "STOP_CANNOT"): ("driver", {**done, **failed}),
        ("pick_up_at_stop", "STOP_CANNOT"): ("driver", done),
        ("reopen_stop", "STOP_CANNOT"): ("driver", done),
        ("reopen_stop", "ORDER_STEP_REFUSED"): ("driver", {"route_id": ids["moved"], "stop_id": ids["moved_failed"]}),
        **{
            (name, "ORDER_STEP_REFUSED"): ("driver", {"route_id": ids["moved"], "stop_id": ids[stop]})
            for names, stop in HANDING_OVER.items()
            for name in names
        },
        **{
            (name, "ROUTE_CANNOT"): ("admin", {**not_begun, **(failed if name == "fail_stop" else {})})
            for name in ("arrive_at_stop", "fail_stop", "pick_up_at_stop", "reopen_stop")
        },
    }
