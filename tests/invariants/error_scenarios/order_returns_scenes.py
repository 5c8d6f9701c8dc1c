"""Errors of returns of delivered orders."""

from typing import Any

from tests.contexts.billing.ledger.makers import make_call
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_contact, make_order, set_order

from haulier.contexts.orders.public import OrderStatus, OrderStep, apply_order_transition

NAMES = ("kept", "open", "fetched", "inspected", "less")
WHY = {"reason": "too_small"}
INSPECTED = {"lines": [{"number": 1, "grade": "a_grade", "quantity": 1}]}
FAR = make_contact(lat=64.0, lng=-139.0)


async def scene(app: App) -> dict[str, Any]:
    """Create delivered orders with and without returns."""
    orders = {name: await make_order(app, customer_id=app.ids["customer"]) for name in NAMES}
    async with make_call(app) as call:
        for step in (OrderStep.PLAN, OrderStep.START, OrderStep.DELIVER):
            assert await apply_order_transition(call, step, list(orders.values())) == {}
    await app.answer("admin", "charge_delivered_orders", {"order_ids": list(orders.values())}, confirmed=True)
    made = {"kept": orders["kept"], "new": await make_order(app), "over": orders["open"]}
    for name, method in (
        ("open", "drop_off"),
        ("fetched", "own_fleet"),
        ("inspected", "drop_off"),
        ("less", "drop_off"),
    ):
        asked = {"order_id": orders[name], "method": method, **WHY}
        shown = (await app.answer("admin", "create_order_return", asked)).order_return
        made[f"{name}_return"] = shown.id
        if name == "fetched":
            await set_order(app, shown.return_order_id, status=OrderStatus.PICKED_UP.value)
    less, refund = [await _proposed(app, made[f"{name}_return"]) for name in ("less", "inspected")]
    elsewhere = {"transfer_id": less.charge_id, "amount_minor": 1, "reference": "R", "reason": "Late"}
    await app.answer("admin", "refund_charge", elsewhere, confirmed=True)
    rejected = {"order_return_id": made["inspected_return"], "decision": "reject"}
    await app.answer("admin", "decide_return_refunds", rejected, confirmed=True)
    return {**made, "refund": refund.id, "charge": refund.charge_id, "price": refund.refund_minor}


async def _proposed(app: App, order_return_id: int) -> Any:
    """Inspect a return and propose to refund the charge of its order."""
    one = {"order_return_id": order_return_id}
    await app.answer("admin", "inspect_order_return", {**one, **INSPECTED})
    shown = await app.answer("admin", "propose_return_refunds", {**one, "reason": "It came back."})
    return shown.order_return.refunds[0]


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    kept = {"order_id": ids["kept"], **WHY}
    carried = {**kept, "method": "carrier"}
    opened, fetched, inspected, less = ({"order_return_id": ids[f"{name}_return"]} for name in NAMES[1:])
    refund, refused = {"reason": "It came back."}, "ORDER_RETURN_STEP_REFUSED"
    much = {"refunds": [{"charge_id": ids["charge"], "amount_minor": ids["price"] + 1}], **refund}
    approved = {"decision": "approve", "refund_ids": [ids["refund"]]}
    create = "create_order_return"
    return {
        (create, "ORDER_STEP_REFUSED"): ("admin", {"order_id": ids["new"], **WHY}),
        (create, "RETURN_QUANTITY_EXCEEDED"): ("admin", {"order_id": ids["over"], **WHY}),
        (create, "SERVICE_UNKNOWN"): ("admin", {**carried, "return_to": make_contact(), "service": "nope"}),
        (create, "RATE_NOT_AVAILABLE"): ("admin", {**carried, "return_to": FAR}),
        ("cancel_order_return", refused): ("admin", inspected),
        ("cancel_order_return", "ORDER_STEP_REFUSED"): ("admin", fetched),
        ("inspect_order_return", refused): ("admin", {**inspected, **INSPECTED}),
        ("inspect_order_return", "ORDER_RETURN_NOT_RECEIVED"): ("admin", {**fetched, **INSPECTED}),
        ("propose_return_refunds", refused): ("admin", {**opened, **refund}),
        ("propose_return_refunds", "REFUND_TOO_MUCH"): ("admin", {**inspected, **much}),
        ("decide_return_refunds", "RETURN_REFUND_DECIDED"): ("admin", {**inspected, **approved}),
        ("decide_return_refunds", "REFUND_TOO_MUCH"): ("admin", {**less, "decision": "approve"}),
    }
