"""Offered actions: each has an operation that accepts the order in its state."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_contact, make_depot, make_driver, make_order, make_route

from haulier.app import registry
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OFFERED_ACTIONS

FOR_CUSTOMERS = {"redeliver"}
ON_ROUTES = ("NEW_ORDER", "HOLD", "PLANNED", "OUT_FOR_DELIVERY", "FAILED", "FAILED ABOARD", "DELIVERED", "CANCELLED")
MADE = (*ON_ROUTES, "PICKUP", "READY FOR PICKUP")


NEEDED: dict[str, dict[str, Any]] = {
    "reroute": {"address": make_contact()},
    "correct": {"consignee": {"phone": "+14165550100"}},
    "collect": {"recipient": "Ada Lovelace"},
    "undo_delivery": {"reason": "Pressed by mistake"},
    "update_goods_at": {"goods_at": None},
    "correct_address": {"place": {"address": "1 King St E", "city": "Toronto", "country": "CA"}},
}
"""Additional values that an action needs."""


async def order_in(app: App, state: str) -> int:
    """An order in a state, by the operations that lead there."""
    order_id = await make_order(app)
    if state == "HOLD":
        await app.answer("admin", "hold_order", {"order_id": order_id})
    elif state == "PLANNED":
        await make_route(app, order_ids=[order_id])
    elif state == "CANCELLED":
        await app.answer("admin", "cancel_order", {"order_id": order_id})
    elif state.endswith("PICKUP"):
        await app.answer("admin", "switch_order_to_pickup", {"order_id": order_id, "depot_id": app.ids["depot"]})
        if state.startswith("READY"):
            await app.answer("admin", "mark_ready_for_pickup", {"order_ids": [order_id]})
    elif state != "NEW_ORDER":
        await drive(app, order_id, state)
    return order_id


async def drive(app: App, order_id: int, state: str) -> None:
    route_id = await make_route(app, order_ids=[order_id], driver_id=app.ids["dan"])
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    at = {"route_id": route_id, "stop_id": route.stops[0].id}
    if state == "DELIVERED":
        await app.answer("driver", "deliver_stop", at)
    elif state.startswith("FAILED"):
        await app.answer("driver", "fail_stop", {**at, "reason": "recipient_absent", "outcome": "retry"})
        if state == "FAILED":
            await app.answer("driver", "return_route_to_depot", {"route_id": route_id})


def asked(app: App, action: str, order: Any, route_id: int) -> dict[str, Any]:
    if action == "switch_to_pickup":
        return {"order_id": order.id, "depot_id": app.ids["depot"]}
    if action in ("plan", "unplan"):
        return {"route_id": route_id if action == "plan" else order.route_id, "order_ids": [order.id]}
    if action in ("reschedule", "ready_for_pickup"):
        return {"order_ids": [order.id]}
    return {"order_id": order.id, **NEEDED.get(action, {})}


async def test_each_offered_action_is_accepted_by_its_operation(app: App) -> None:
    app.ids["dan"] = await make_driver(app, user="driver")
    app.ids["depot"] = await make_depot(app)
    empty = await make_route(app)
    met: dict[str, set[str]] = {}
    for state in MADE:
        order_id = await order_in(app, state)
        order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
        met[state] = set(order.allowed_actions)
        for action in order.allowed_actions:
            outcome = await app.call("admin", OFFERED_ACTIONS[action], asked(app, action, order, empty), dry_run=True)
            assert outcome.error is None, (state, action, outcome.error)
            assert not getattr(outcome.answer, "errors", []), (state, action)
    assert set().union(*met.values()) == OFFERED_ACTIONS.keys() - FOR_CUSTOMERS
    assert met["FAILED ABOARD"] == met["FAILED"] - {"plan", "update_goods_at", "switch_to_pickup"}
    assert (met["DELIVERED"], met["CANCELLED"]) == ({"undo_delivery"}, set())


def test_every_action_names_an_operation() -> None:
    assert [name for name in OFFERED_ACTIONS.values() if registry().get(name) is None] == []
