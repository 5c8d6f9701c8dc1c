"""Device returns: announced, received, refunded or replaced, and restocked."""

import asyncio

from tests.contexts.billing.ledger.makers import credit, faults
from tests.contexts.identity.mailbox import received_mails
from tests.contexts.lockers.device_makers import (
    drafted,
    in_stock,
    make_catalogue,
    named,
    paid,
    received,
    returning,
    serials,
    shipped,
    step,
)
from tests.contexts.lockers.examples import SCANNER
from tests.contexts.lockers.makers import refusal
from tests.support.app import App

PRICE = SCANNER["price_minor"]


async def test_a_returned_device_is_refunded(app: App) -> None:
    await make_catalogue(app)
    order = await shipped(app, order_ref="HW-1")
    first, second = serials(order.id)
    handed = await app.answer("customer", "activate_ordered_device", {"device_order_id": order.id, "serial": first})
    credential = (await app.answer(None, "register_device", {"code": handed.code, "serial": first})).credential
    back = await received(app, order.id, [first], restock=True)
    assert (back.status, back.worth_minor, back.refund_minor, await in_stock(app)) == ("received", PRICE, None, 9)
    assert await refusal(app, None, "poll_device_commands", {"credential": credential}) == (401, "DEVICE_UNKNOWN")
    settle = {"device_return_id": back.id, "outcome": "refund"}
    answers = await asyncio.gather(*(app.call("admin", "settle_device_return", settle) for _ in range(3)))
    assert sorted(each.status for each in answers) == [200, 409, 409]
    assert (await credit(app))[0] == PRICE
    mails = [mail for mail in await received_mails(app) if "HW-1" in mail.subject or str(back.id) in mail.subject]
    assert (len(mails), any(f"1Z{order.id}" in mail.text for mail in mails)) == (2, True)
    now = (await app.answer("customer", "get_device_order", {"device_order_id": order.id})).device_order
    assert (now.status, now.refunded_minor) == ("active", PRICE)
    assert [each.state for each in now.devices] == ["returned", "shipped"]
    rest = await received(app, order.id, [second])
    partly = {"device_return_id": rest.id, "outcome": "refund", "amount_minor": PRICE + 1}
    assert await refusal(app, "admin", "settle_device_return", partly) == (409, "DEVICE_REFUND_TOO_MUCH")
    await app.answer("admin", "settle_device_return", {**partly, "amount_minor": 20000})
    now = (await app.answer("customer", "get_device_order", {"device_order_id": order.id})).device_order
    assert (now.status, now.refunded_minor, await in_stock(app)) == ("returned", PRICE + 20000, 9)
    assert (await credit(app))[0] == PRICE + 20000
    assert await faults(app) == []


async def test_a_device_is_replaced_from_stock_and_its_serial_number_can_be_sold_again(app: App) -> None:
    await make_catalogue(app)
    order = await shipped(app, 1)
    (old,) = serials(order.id, 1)
    back = await received(app, order.id, [old], restock=True)
    other = {"device_return_id": back.id, "outcome": "replacement", "tracking_number": "1Z2"}
    wrong = {**other, "devices": named(["X", "Y"])}
    assert await refusal(app, "admin", "settle_device_return", wrong) == (409, "DEVICE_SERIALS_MISMATCH")
    settled = (await app.answer("admin", "settle_device_return", {**other, "devices": named(["NEW"])})).device_return
    assert (settled.status, settled.tracking_number, await in_stock(app)) == ("replaced", "1Z2", 9)
    now = (await app.answer("customer", "get_device_order", {"device_order_id": order.id})).device_order
    assert (now.status, [(each.serial, each.state) for each in now.devices]) == (
        "shipped",
        [(old, "returned"), ("NEW", "shipped")],
    )
    next_order = await paid(app, 1)
    await step(app, "ship_device_order", next_order.id, "admin", devices=named([old]), tracking_number="1Z3")


async def test_a_lost_device_cannot_be_shipped_again(app: App) -> None:
    await make_catalogue(app)
    order = await shipped(app, 1)
    await received(app, order.id, serials(order.id, 1))
    next_order = await paid(app, 1)
    sent = {"device_order_id": next_order.id, "devices": named(serials(order.id, 1)), "tracking_number": "1Z3"}
    assert await refusal(app, "admin", "ship_device_order", sent) == (409, "DEVICE_SERIAL_TAKEN")


async def test_a_device_is_returned_once_and_a_closed_return_releases_it(app: App) -> None:
    await make_catalogue(app)
    order = await shipped(app)
    first, second = serials(order.id)
    asked = {"device_order_id": order.id, "serials": [first], "reason": "not_needed"}
    tried = await asyncio.gather(*(app.call("customer", "request_device_return", asked) for _ in range(3)))
    assert sorted(each.status for each in tried) == [200, 409, 409]
    (announced,) = [each.answer.device_return for each in tried if each.answer]
    await app.answer("customer", "cancel_device_return", {"device_return_id": announced.id})
    again = await returning(app, order.id, [first, second])
    refused = {"device_return_id": again.id, "outcome": "refused"}
    assert (await app.answer("admin", "settle_device_return", refused)).device_return.status == "refused"
    last = await received(app, order.id, [first])
    assert await refusal(app, "admin", "settle_device_return", {**refused, "device_return_id": last.id}) == (
        409,
        "DEVICE_RETURN_STEP_REFUSED",
    )
    ended = {"device_return_id": again.id}
    assert await refusal(app, "customer", "cancel_device_return", ended) == (409, "DEVICE_RETURN_STEP_REFUSED")
    draft = {**asked, "device_order_id": (await drafted(app)).id}
    assert await refusal(app, "customer", "request_device_return", draft) == (409, "DEVICE_ORDER_STEP_REFUSED")


async def test_returns_can_be_listed_filtered_and_paged_and_are_invisible_to_others(app: App) -> None:
    await make_catalogue(app)
    order = await shipped(app)
    first, second = [(await returning(app, order.id, [number])).id for number in serials(order.id)]
    await app.answer("customer", "cancel_device_return", {"device_return_id": second})

    async def found(who: str = "customer", **wanted: object) -> list[int]:
        return [each.id for each in (await app.answer(who, "list_device_returns", wanted)).device_returns]

    assert (await found(), await found(status="requested")) == ([second, first], [first])
    assert (await found(per_page=1, page=2), await found("admin", device_order_id=order.id)) == (
        [first],
        [second, first],
    )
    assert (await found("customer2"), await found("rival")) == ([], [])
    for who in ("customer2", "rival"):
        assert await refusal(app, who, "get_device_return", {"device_return_id": first}) == (404, "NOT_FOUND")
        asked = {"device_order_id": order.id, "serials": serials(order.id), "reason": "other"}
        assert await refusal(app, who, "request_device_return", asked) == (404, "NOT_FOUND")


async def test_a_customer_without_prices_sees_none_on_a_return(app: App) -> None:
    await make_catalogue(app)
    order = await shipped(app)
    back = await received(app, order.id, serials(order.id))
    hidden = {"customer_id": app.ids["customer"], "hidden": ["device_orders"]}
    await app.answer("admin", "set_price_visibility", hidden)
    told = (await app.rest("customer", "GET", f"/v1/device-returns/{back.id}")).json()["device_return"]
    assert (told["price_hidden"], told.keys() & {"worth_minor", "refund_minor", "currency"}) == (True, set())


async def test_statement_count_does_not_grow_with_returned_devices(app: App) -> None:
    await make_catalogue(app, stock=100)
    counted = []
    for count in (1, 12):
        order = await shipped(app, count)
        before = app.statements
        back = await received(app, order.id, serials(order.id, count), restock=True)
        numbers = [f"R-{order.id}-{number}" for number in range(count)]
        settle = {"device_return_id": back.id, "outcome": "replacement", "devices": named(numbers)}
        await app.answer("admin", "settle_device_return", settle)
        counted.append(app.statements - before)
    assert counted[0] == counted[1]
