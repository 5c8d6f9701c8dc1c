"""A return of a charged order with a proposed refund, for `business.py`."""

from typing import Any

from tests.contexts.billing.ledger.makers import make_call
from tests.support.app import App
from tests.support.transport import make_order

from haulier.contexts.orders.public import OrderStep, apply_order_transition


async def make_order_return(app: App, mark: str, who: str = "customer") -> dict[str, Any]:
    """Return an order of the customer, inspect it and propose a refund."""
    place = {"name": mark, "address": mark, "city": mark, "country": "CA", "lat": 43.65, "lng": -79.38}
    order_id = await make_order(app, consignee=place, customer_id=app.ids[who])
    async with make_call(app) as call:
        for step in (OrderStep.PLAN, OrderStep.START, OrderStep.DELIVER):
            assert await apply_order_transition(call, step, [order_id]) == {}
    await app.answer("admin", "charge_delivered_orders", {"order_ids": [order_id]}, confirmed=True)
    asked = {"order_id": order_id, "reason": "marked", "note": mark}
    made = (await app.answer("admin", "create_order_return", asked)).order_return
    one = {"order_return_id": made.id}
    await app.answer(
        "admin", "inspect_order_return", {**one, "lines": [{"number": 1, "grade": "b_grade", "quantity": 1}]}
    )
    proposed = await app.answer("admin", "propose_return_refunds", {**one, "reason": mark})
    assert proposed.order_return.refunds
    return one
