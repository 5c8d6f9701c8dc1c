"""Returns of orders: labels, inspection, stock, and refunds by charge."""

from typing import Any

from tests.contexts.billing.invoices.examples import SETTINGS
from tests.contexts.billing.ledger.makers import credit, faults
from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver
from tests.contexts.lockers.return_makers import allow_returns, make_keeper
from tests.contexts.orders.makers import make_delivered_order
from tests.contexts.shipping.makers import ADA, make_parcelo_account
from tests.contexts.shipping.order_shipments.makers import fulfilments_of, scan, ship
from tests.contexts.warehouse.makers import make_product, make_warehouse, some_locations
from tests.support.app import App
from tests.support.transport import make_order, make_started_route, status_and_code

WHY = {"reason": "too_small"}


async def returned(app: App, order_id: int, **values: Any) -> Any:
    """Return an order; the return."""
    return (await app.answer("admin", "create_order_return", {"order_id": order_id, **WHY, **values})).order_return


async def inspected(app: App, made: Any, grade: str = "b_grade", **values: Any) -> Any:
    """Inspect a return with one grade; the return and the charges of its order."""
    lines = [{"number": each.number, "grade": grade, "quantity": each.quantity, **values} for each in made.items]
    return await app.answer("admin", "inspect_order_return", {"order_return_id": made.id, "lines": lines})


async def refused(app: App, operation: str, who: str = "admin", **values: Any) -> tuple[int, str | None]:
    return status_and_code(await app.call(who, operation, values, confirmed=True))


async def proposed(app: App, made: Any) -> Any:
    """Propose to refund all that is left."""
    asked = {"order_return_id": made.id, "reason": "It came back."}
    return (await app.answer("admin", "propose_return_refunds", asked)).order_return


async def two_delivered_orders(app: App) -> list[int]:
    """Two charged orders of the customer, delivered on one route."""
    orders = [await make_order(app, customer_id=app.ids["customer"]) for _ in range(2)]
    route = await make_started_route(app, orders)
    app.clock.forward(minutes=5)
    for stop in [each for each in route.stops if each.order_id in orders]:
        done = {"route_id": route.id, "stop_id": stop.id, "recipient": "Ada"}
        await app.answer("driver", "deliver_stop", done)
    await app.work_off()
    return orders


async def test_a_carrier_return_gets_a_label_and_is_a_fulfilment_of_its_order(app: App) -> None:
    carrier = await make_parcelo_account(app)
    order_id, _ = await make_delivered_order(app, consignee=ADA)
    made = await returned(app, order_id, method="carrier", return_to={**ADA, "name": "Shop"})
    bought = await ship(app, made.return_order_id)
    back = next(each for each in await fulfilments_of(app, order_id) if each.direction == "return")
    assert (back.method, back.order_return_id, back.status) == ("carrier", made.id, "booked")
    assert back.tracking_numbers == [bought.shipment.tracking_number]
    await scan(app, carrier, "picked_up", "delivered")
    (out, back) = await fulfilments_of(app, order_id)
    assert [(each.direction, each.status) for each in (out, back)] == [
        ("outbound", "delivered"),
        ("return", "delivered"),
    ]
    assert (await inspected(app, made)).order_return.state == "inspected"


async def test_goods_in_transit_cannot_be_inspected_and_cancelling_an_order_cancels_its_return(app: App) -> None:
    order_id, _ = await make_delivered_order(app)
    made = await returned(app, order_id, method="own_fleet")
    lines = [{"number": 1, "grade": "a_grade", "quantity": 1}]
    asked = {"order_return_id": made.id, "lines": lines}
    assert await refused(app, "inspect_order_return", **asked) == (409, "ORDER_RETURN_NOT_RECEIVED")
    await app.answer("admin", "cancel_order", {"order_id": made.return_order_id}, confirmed=True)
    shown = (await app.answer("admin", "get_order_return", {"order_return_id": made.id})).order_return
    assert shown.state == "cancelled"
    assert await refused(app, "inspect_order_return", **asked) == (409, "ORDER_RETURN_STEP_REFUSED")
    assert (await returned(app, order_id)).items[0].quantity == 1


async def test_graded_units_are_restocked_as_good_b_grade_and_damaged(app: App) -> None:
    (shelf,) = await some_locations(app, await make_warehouse(app), "A-01")
    await make_product(app, "MUG", weight_g=350)
    order_id, _ = await make_delivered_order(app, items=[{"sku": "MUG", "quantity": 4}])
    made = await returned(app, order_id)
    asked = {"order_return_id": made.id}
    lines = [
        {"number": 1, "grade": grade, "quantity": 1} | ({"location_id": shelf} if grade != "missing" else {})
        for grade in ("a_grade", "b_grade", "damaged", "missing")
    ]
    few = await app.rest("admin", "POST", f"/v1/order-returns/{made.id}/inspection", {"lines": lines[:3]})
    assert [each["field"] for each in few.json()["errors"]] == ["lines"]
    odd = [lines[3], {**lines[0], "quantity": 3, "location_id": 9**9}]
    away = await app.rest("admin", "POST", f"/v1/order-returns/{made.id}/inspection", {"lines": odd})
    assert away.status_code == 422, away.text
    await app.answer("admin", "inspect_order_return", {**asked, "lines": lines})
    levels = (await app.answer("admin", "list_stock_levels", {"sku": "MUG"})).levels
    assert sorted((each.condition, each.on_hand, each.available) for each in levels) == [
        ("b_grade", 1, 0),
        ("damaged", 1, 0),
        ("good", 1, 1),
    ]
    moved = (await app.answer("admin", "list_stock_movements", {"sku": "MUG"})).movements
    assert {each.kind for each in moved} == {"return"}


async def test_an_approved_refund_of_an_invoiced_charge_credits_its_line(app: App) -> None:
    await app.answer("admin", "set_invoicing_settings", SETTINGS)
    customer = {"customer_id": app.ids["customer"]}
    orders = await two_delivered_orders(app)
    invoice = (await app.answer("admin", "issue_invoice", customer, confirmed=True)).invoice
    made = await returned(app, orders[0])
    charge = (await inspected(app, made)).refundable_charges[0]
    assert charge.refundable_minor == charge.charged_minor
    (refund,) = (await proposed(app, made)).refunds
    before = (await credit(app))[0]
    decided = {"order_return_id": made.id, "decision": "approve", "refund_ids": [refund.id]}
    for _ in range(2):
        shown = await app.answer("admin", "decide_return_refunds", decided, confirmed=True)
        assert [each.state for each in shown.order_return.refunds] == ["approved"]
    assert (await credit(app))[0] == before + charge.charged_minor
    notes = (await app.answer("admin", "list_invoices", {"kind": "credit_note"})).invoices
    (line,) = (await app.answer("admin", "get_invoice", {"invoice_id": notes[0].id})).invoice.lines
    assert (len(notes), line.amount_minor) == (1, charge.charged_minor)
    assert line.charge_id in {each.transfer_id for each in invoice.lines}
    assert await refused(app, "decide_return_refunds", **{**decided, "decision": "reject"}) == (
        409,
        "RETURN_REFUND_DECIDED",
    )
    assert await faults(app) == []


async def test_other_refunds_reduce_the_proposed_amount(app: App) -> None:
    order_id, _ = await make_delivered_order(app, customer_id=app.ids["customer"])
    await app.work_off()
    made = await returned(app, order_id)
    charge = (await inspected(app, made)).refundable_charges[0]
    await proposed(app, made)
    elsewhere = {"transfer_id": charge.charge_id, "amount_minor": 1, "reference": "R", "reason": "Late"}
    await app.answer("admin", "refund_charge", elsewhere, confirmed=True)
    decided = {"order_return_id": made.id, "decision": "approve"}
    assert await refused(app, "decide_return_refunds", **decided) == (409, "REFUND_TOO_MUCH")
    await app.answer("admin", "decide_return_refunds", {**decided, "decision": "reject"}, confirmed=True)
    (_, last) = (await proposed(app, made)).refunds
    assert last.refund_minor == charge.charged_minor - 1


async def test_a_customer_with_hidden_prices_sees_a_refund_without_amount(app: App) -> None:
    order_id, _ = await make_delivered_order(app, customer_id=app.ids["customer"])
    await app.work_off()
    made = await returned(app, order_id)
    await inspected(app, made)
    (refund,) = (await proposed(app, made)).refunds
    path = f"/v1/order-returns/{made.id}"
    shown = (await app.rest("customer", "GET", path)).json()
    assert shown["order_return"]["refunds"][0]["refund_minor"] == refund.refund_minor
    assert shown["refundable_charges"] == []
    hidden = {"customer_id": app.ids["customer"], "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hidden)
    for each in (path, f"/v1/order-returns?order_id={order_id}"):
        told = await app.rest("customer", "GET", each)
        assert told.status_code == 200
        assert str(refund.refund_minor) not in told.text.replace(str(refund.charge_id), "")
    assert (await app.rest("rival", "GET", path)).status_code == 404


async def test_a_recipients_return_is_listed_as_a_return_of_its_order(app: App) -> None:
    await allow_returns(app)
    keeper = await make_keeper(app)
    await keeper.begins(note="Too tight")
    (made,) = (await app.answer("admin", "list_order_returns", {"order_id": keeper.order.id})).order_returns
    assert (made.method, made.reason, made.note, made.state) == ("own_fleet", "too_small", "Too tight", "open")
    assert await refused(app, "create_order_return", order_id=keeper.order.id, **WHY) == (
        409,
        "RETURN_QUANTITY_EXCEEDED",
    )
    await app.answer("admin", "cancel_order_return", {"order_return_id": made.id})
    await app.work_off()
    assert (await keeper.sees()).begun is None


async def test_only_delivered_orders_can_be_returned(app: App) -> None:
    order_id = await make_order(app)
    assert await refused(app, "create_order_return", order_id=order_id, **WHY) == (409, "ORDER_STEP_REFUSED")
    unknown = await app.rest("admin", "POST", "/v1/orders/999999/returns", WHY)
    assert unknown.status_code == 404


async def test_receivers_are_notified_of_each_step_of_a_return(app: App) -> None:
    order_id, _ = await make_delivered_order(app)
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "order_return.created", "order_return.changed")
        taken_back = await returned(app, order_id, method="own_fleet")
        await app.answer("admin", "cancel_order", {"order_id": taken_back.return_order_id}, confirmed=True)
        checked = await returned(app, order_id)
        await inspected(app, checked)
        await app.work_off()
        told = sorted(
            ((each.document["subject"], each.document["event"], each.document["data"]) for each in receiver.received),
            key=str,
        )
    first, second = f"order_return:{taken_back.id}", f"order_return:{checked.id}"
    ids = ({"order_return_id": each.id, "order_id": order_id} for each in (taken_back, checked))
    of_first, of_second = ids
    assert told == [
        (first, "order_return.changed", {**of_first, "state": "cancelled"}),
        (first, "order_return.created", {**of_first, "method": "own_fleet"}),
        (second, "order_return.changed", {**of_second, "state": "inspected"}),
        (second, "order_return.created", {**of_second, "method": checked.method}),
    ]
