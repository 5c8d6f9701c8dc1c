"""Device orders: quoted, drafted, confirmed, paid, shipped and put into use.

Serial numbers are recorded, and sales never exceed stock.
"""

import asyncio
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.contexts.billing.ledger.makers import cad, credit, faults, make_call, some_credit
from tests.contexts.identity.mailbox import received_mails
from tests.contexts.lockers.device_makers import (
    confirmed,
    drafted,
    in_stock,
    make_catalogue,
    named,
    paid,
    received,
    serials,
    shipped,
    step,
)
from tests.contexts.lockers.examples import SCANNER, TABLET, WORKSHOP
from tests.contexts.lockers.makers import make_device, refusal
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.lockers.device_orders.actions import CancelUnpaidDevices
from haulier.contexts.lockers.device_orders.jobs import cancel_unpaid_device_order
from haulier.contexts.orders.events import OrderStatusChanged
from haulier.kernel.job_run import JobRun

PRICE = SCANNER["price_minor"]


async def order_now(app: App, order_id: int) -> Any:
    return (await app.answer("admin", "get_device_order", {"device_order_id": order_id})).device_order


async def test_devices_can_be_ordered_paid_shipped_and_activated(app: App) -> None:
    await make_catalogue(app)
    wanted = {"items": [{"product_code": "scanner-2d", "quantity": 2}]}
    quote = await app.answer("customer", "quote_device_order", wanted)
    assert (quote.total_price, quote.currency, quote.lines[0].in_stock, quote.lead_days) == (2 * PRICE, "CAD", True, 2)
    order = await shipped(app)
    assert (order.status, order.paid_amount, order.balance_due_minor, await in_stock(app)) == (
        "shipped",
        2 * PRICE,
        0,
        8,
    )
    assert [(each.serial, each.state) for each in order.devices] == [
        (number, "shipped") for number in serials(order.id)
    ]
    assert (await step(app, "deliver_device_order", order.id, "admin")).status == "delivered"
    serial = serials(order.id)[0]
    asked = {"device_order_id": order.id, "serial": serial}
    handed = await app.answer("customer", "activate_ordered_device", asked)
    again = await app.answer("customer", "activate_ordered_device", asked)
    assert await refusal(app, None, "register_device", {"code": handed.code, "serial": serial}) == (
        401,
        "DEVICE_CODE_REFUSED",
    )
    assert (await app.answer(None, "register_device", {"code": again.code, "serial": serial})).credential
    assert await refusal(app, "customer", "activate_ordered_device", asked) == (409, "DEVICE_NOT_USABLE")
    now = await order_now(app, order.id)
    assert (now.status, [each.state for each in now.devices]) == ("active", ["active", "shipped"])
    (device,) = (await app.answer("admin", "list_devices", {"status": "active"})).devices
    assert (device.serial, device.kind, device.id) == (serial, "scanner", now.devices[0].device_id)


async def test_stock_is_never_oversold(app: App) -> None:
    await make_catalogue(app, stock=5)
    drafts = [await drafted(app, 2, who) for who in ("customer", "customer2") * 3]
    owners = ("customer", "customer2") * 3
    tried = await asyncio.gather(
        *(
            app.call(who, "confirm_device_order", {"device_order_id": each.id})
            for who, each in zip(owners, drafts, strict=True)
        )
    )
    assert sorted(each.status for each in tried) == [200, 200, 409, 409, 409, 409]
    assert {each.error["code"] for each in tried if each.error} == {"DEVICE_OUT_OF_STOCK"}
    assert await in_stock(app) == 1
    less = {"product_code": "scanner-2d", "change": -2}
    assert await refusal(app, "admin", "adjust_device_stock", less) == (409, "DEVICE_STOCK_REFUSED")


async def test_a_draft_keeps_its_prices_for_a_week(app: App) -> None:
    await make_catalogue(app)
    order, late = await drafted(app), await drafted(app)
    await app.answer("admin", "set_device_product", {**SCANNER, "price_minor": 30000})
    assert (await step(app, "confirm_device_order", order.id)).total_price == 2 * PRICE
    app.clock.forward(days=7)
    asked = {"device_order_id": late.id}
    assert await refusal(app, "customer", "confirm_device_order", asked) == (409, "DEVICE_PRICES_EXPIRED")
    assert (await step(app, "update_device_order", late.id, note="Hurry")).total_price == 60000
    assert (await step(app, "confirm_device_order", late.id)).status == "confirmed"


async def test_a_draft_can_be_updated_and_a_confirmed_order_cannot(app: App) -> None:
    await make_catalogue(app)
    await make_catalogue(app, stock=1, **TABLET)
    order = await drafted(app)
    items = [{"product_code": code, "quantity": 1} for code in ("tablet-8", "scanner-2d")]
    changed = await step(app, "update_device_order", order.id, items=items, order_ref="HW-7")
    assert [(line.product_code, line.amount) for line in changed.lines] == [("scanner-2d", PRICE), ("tablet-8", 39900)]
    assert (changed.pieces, changed.total_price, changed.order_ref) == (2, PRICE + 39900, "HW-7")
    await step(app, "confirm_device_order", order.id)
    asked = {"device_order_id": order.id, "note": "Other"}
    assert await refusal(app, "customer", "update_device_order", asked) == (409, "DEVICE_ORDER_STEP_REFUSED")
    twice = {"items": items + items[:1]}
    assert await refusal(app, "customer", "quote_device_order", twice) == (422, "INVALID_REQUEST")


async def test_an_order_is_paid_once_and_refunded_when_cancelled(app: App) -> None:
    await make_catalogue(app)
    order = await confirmed(app)
    named_order = {"device_order_id": order.id}
    await some_credit(app, 2 * PRICE - 1)
    assert await refusal(app, "customer", "pay_device_order", named_order) == (409, "CREDIT_INSUFFICIENT")
    async with make_call(app) as call:
        await billing.top_up(call, app.ids["customer"], cad(PRICE), key="more")
    answers = await asyncio.gather(
        *(app.call("customer", "pay_device_order", named_order, confirmed=True) for _ in range(4))
    )
    assert sorted(each.status for each in answers) == [200, 409, 409, 409]
    assert (await credit(app))[0] == PRICE - 1
    answers = await asyncio.gather(
        *(app.call("customer", "cancel_device_order", named_order, confirmed=True) for _ in range(3))
    )
    assert sorted(each.status for each in answers) == [200, 409, 409]
    assert ((await credit(app))[0], await in_stock(app)) == (3 * PRICE - 1, 10)
    now = await order_now(app, order.id)
    assert (now.status, now.refunded_minor, now.can_be_cancelled) == ("cancelled", 2 * PRICE, False)
    assert await faults(app) == []


async def test_an_unpaid_order_releases_its_stock_after_a_week_and_notifies_the_customer(app: App) -> None:
    await make_catalogue(app)
    kept, lost = await paid(app), await confirmed(app, order_ref="HW-9")
    run = JobRun(app.application, app.clients["demo"], 1, 1)
    for order in (kept, lost):
        await cancel_unpaid_device_order.handler(run, CancelUnpaidDevices(order.id))
    assert [(await order_now(app, order.id)).status for order in (kept, lost)] == ["paid", "cancelled"]
    assert await in_stock(app) == 8
    assert any("HW-9" in mail.subject for mail in await received_mails(app))


async def test_a_customer_without_prices_orders_and_the_office_settles_payment(app: App) -> None:
    await make_catalogue(app)
    hidden = {"customer_id": app.ids["customer"], "hidden": ["device_orders"]}
    await app.answer("admin", "set_price_visibility", hidden)
    order = await confirmed(app)
    told = (await app.rest("customer", "GET", f"/v1/device-orders/{order.id}")).json()["device_order"]
    prices = {"total_price", "paid_amount", "refunded_minor", "balance_due_minor", "currency"}
    assert (told["price_hidden"], told.keys() & prices, told["can_be_paid"]) == (True, set(), False)
    assert told["lines"][0].keys() & {"unit_price_minor", "amount"} == set()
    products = (await app.rest("customer", "GET", "/v1/device-products")).json()["products"]
    assert products[0].keys() & {"unit_price_minor", "currency"} == set()
    asked = {"device_order_id": order.id}
    assert await refusal(app, "customer", "pay_device_order", asked) == (403, "PRICE_HIDDEN_SETTLE_OFFLINE")
    await some_credit(app, 0, limit=2 * PRICE)
    assert (await step(app, "pay_device_order", order.id, "admin")).status == "paid"
    assert (await credit(app))[0] == -2 * PRICE
    entries = (await app.rest("customer", "GET", "/v1/billing/statement")).json()["entries"]
    assert [(each["subject_kind"], each["price_hidden"], "amount_minor" in each) for each in entries] == [
        ("device_order", True, False)
    ]


async def test_a_payment_is_listed_on_the_next_invoice(app: App) -> None:
    await make_catalogue(app)
    order = await paid(app)
    issued = (await app.answer("admin", "issue_invoice", {"customer_id": app.ids["customer"]})).invoice
    shown = (await app.answer("admin", "get_invoice", {"invoice_id": issued.id})).invoice
    assert [(line.subject_kind, line.subject_id, line.amount_minor) for line in shown.lines] == [
        ("device_order", order.id, 2 * PRICE)
    ]


async def test_a_serial_number_is_assigned_to_one_order(app: App) -> None:
    await make_catalogue(app)
    first, second = await paid(app), await paid(app)
    await make_device(app, "IN-USE")

    def sent(order: Any, numbers: list[str]) -> dict[str, Any]:
        return {"device_order_id": order.id, "devices": named(numbers), "tracking_number": "1Z"}

    for numbers, code in ((["A"], "DEVICE_SERIALS_MISMATCH"), (["A", "IN-USE"], "DEVICE_SERIAL_TAKEN")):
        assert await refusal(app, "admin", "ship_device_order", sent(first, numbers)) == (409, code)
    tried = await asyncio.gather(
        *(
            app.call("admin", "ship_device_order", sent(each, numbers))
            for each, numbers in ((first, ["A", "B"]), (second, ["B", "A"]))
        )
    )
    assert sorted(each.status for each in tried) == [200, 409]
    assert [each.error["code"] for each in tried if each.error] == ["DEVICE_SERIAL_TAKEN"]
    assert (await app.answer("admin", "list_devices", {"status": "new"})).total == 2


async def test_a_local_delivery_carries_the_order_and_is_tracked(app: App) -> None:
    await make_catalogue(app)
    order = await paid(app, 1)
    sent = await step(app, "ship_device_order", order.id, "admin", devices=named(["A"]), fulfilment="local_delivery")
    delivery = (await app.answer("admin", "get_order_detail", {"order_id": sent.order_id})).order
    assert (delivery.tracking_number, delivery.customer_id) == (sent.tracking_number, app.ids["customer"])
    for _ in range(2):
        async with make_call(app) as call:
            await call.publish(OrderStatusChanged(order_id=sent.order_id, status="DELIVERED", step="-"))
        await app.work_off()
    assert (await order_now(app, order.id)).status == "delivered"


async def test_orders_can_be_listed_filtered_and_paged_and_are_invisible_to_others(app: App) -> None:
    await make_catalogue(app)
    first, second = await drafted(app, order_ref="HW-1"), await confirmed(app)
    theirs = await drafted(app, who="admin", customer_id=app.ids["customer2"])

    async def found(who: str = "customer", **wanted: Any) -> list[int]:
        return [each.id for each in (await app.answer(who, "list_device_orders", wanted)).device_orders]

    assert await found() == [second.id, first.id]
    assert await found(per_page=1, page=2) == [first.id]
    assert (await found(status="confirmed"), await found(order_ref="HW-1")) == ([second.id], [first.id])
    assert (await found(customer_id=app.ids["customer2"]), await found("customer2")) == (
        [second.id, first.id],
        [theirs.id],
    )
    assert await found("admin", customer_id=app.ids["customer"]) == [second.id, first.id]
    assert await found("rival") == []
    for who, operation in (
        ("customer2", "get_device_order"),
        ("rival", "get_device_order"),
        ("customer2", "pay_device_order"),
    ):
        assert await refusal(app, who, operation, {"device_order_id": first.id}) == (404, "NOT_FOUND")
    nobody = {"items": [{"product_code": "scanner-2d"}], "consignee": WORKSHOP}
    assert await refusal(app, "admin", "create_device_order", nobody) == (422, "INVALID_REQUEST")


async def test_customers_cannot_see_unavailable_products(app: App) -> None:
    await make_catalogue(app, stock=0)
    await make_catalogue(app, **TABLET)
    wanted: dict[str, Any] = {"in_stock": True}
    assert [each.product_code for each in (await app.answer("customer", "list_device_products", wanted)).products] == [
        "tablet-8"
    ]
    await app.answer("admin", "set_device_product", {**TABLET, "active": False})
    assert (await app.answer("customer", "list_device_products", {"kind": "tablet"})).total == 0
    assert (await app.answer("admin", "list_device_products", {"active": False})).total == 1
    assert await in_stock(app, "tablet-8") == 10
    named_product = {"product_code": "tablet-8"}
    assert await refusal(app, "customer", "get_device_product", named_product) == (404, "NOT_FOUND")
    assert await refusal(app, "customer", "quote_device_order", {"items": [named_product]}) == (404, "NOT_FOUND")
    assert await refusal(app, "rival", "get_device_product", named_product) == (404, "NOT_FOUND")


async def test_statement_count_is_constant_for_any_number_of_orders_lines_and_devices(app: App) -> None:
    codes = [f"p-{number}" for number in range(6)]
    for code in codes:
        await make_catalogue(app, stock=100, product_code=code)
    await some_credit(app, 100 * PRICE)
    counted = []
    for count, quantity in ((1, 1), (1, 1), (6, 9)):
        before = app.statements
        items = [{"product_code": code, "quantity": quantity} for code in codes[:count]]
        order = await drafted(app, items=items)
        for operation in ("confirm_device_order", "pay_device_order"):
            await step(app, operation, order.id)
        leaving = [
            {"product_code": code, "serial": f"{order.id}-{code}-{number}"}
            for code in codes[:count]
            for number in range(quantity)
        ]
        await step(app, "ship_device_order", order.id, "admin", devices=leaving, tracking_number="1Z")
        await app.answer("customer", "list_device_orders", {})
        counted.append(app.statements - before)
    assert counted[1] == counted[2]


async def test_device_revenue_is_aggregated_by_product_and_customer(app: App) -> None:
    await make_catalogue(app)
    await paid(app)
    dropped = await paid(app, 1)
    await step(app, "cancel_device_order", dropped.id)
    order = await shipped(app, 1)
    back = await received(app, order.id, serials(order.id, 1))
    await app.answer("admin", "settle_device_return", {"device_return_id": back.id, "outcome": "refund"})
    day = app.clock().astimezone(ZoneInfo("America/Toronto")).date()
    asked = {"date_from": str(day), "date_to": str(day)}
    told = await app.answer("admin", "get_device_order_report", asked)
    assert [(each.key, each.currency, each.orders, each.pieces, each.gross_minor) for each in told.groups] == [
        (SCANNER["product_code"], "CAD", 3, 4, 4 * PRICE)
    ]
    assert [(each.cancelled_pieces, each.returned_pieces) for each in told.groups] == [(1, 1)]
    assert [(each.currency, each.refunded_minor) for each in told.refunded] == [("CAD", 2 * PRICE)]
    by_customer = (await app.answer("admin", "get_device_order_report", {**asked, "by": "customer"})).groups
    assert [(each.key, each.pieces) for each in by_customer] == [(str(app.ids["customer"]), 4)]
    tomorrow = {name: str(day + timedelta(days=1)) for name in asked}
    for who, days in (("admin", tomorrow), ("rival", asked)):
        nothing = await app.answer(who, "get_device_order_report", days)
        assert (nothing.groups, nothing.refunded) == ([], [])
    turned = {"date_from": asked["date_to"], "date_to": str(day - timedelta(days=1))}
    assert await refusal(app, "admin", "get_device_order_report", turned) == (422, "INVALID_REQUEST")
