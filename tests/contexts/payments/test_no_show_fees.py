"""Fees of missed visits: paid by card, credit or link, and waived by staff."""

import asyncio
from typing import Any

from tests.contexts.billing.ledger.makers import cad, make_call
from tests.contexts.booking.reservations.makers import make_missed_visit
from tests.contexts.payments.makers import account_balances, make_stripe
from tests.support.app import App
from tests.support.transport import status_and_code

from haulier.contexts.billing import public as billing

FEE = 250


async def now(app: App, reservation_id: int) -> Any:
    return (await app.answer("customer", "get_reservation", {"reservation_id": reservation_id})).reservation


async def fate(app: App, reservation_id: int) -> tuple[str, bool]:
    """Return the state of the fee."""
    row = await now(app, reservation_id)
    return row.no_show_fee_status, row.no_show_fee_paid


async def waive(app: App, reservation_id: int, who: str = "admin") -> Any:
    asked = {"reservation_id": reservation_id, "reason": "The road was closed."}
    return await app.call(who, "waive_no_show_fee", asked, confirmed=True)


async def pay(app: App, reservation_id: int, who: str = "customer") -> Any:
    return await app.call(who, "pay_no_show_fee", {"reservation_id": reservation_id}, confirmed=True)


async def refused(app: App, who: str | None, operation: str, asked: dict[str, Any]) -> tuple[int, str | None]:
    return status_and_code(await app.call(who, operation, asked))


def the_fee(reservation_id: int) -> dict[str, Any]:
    return {"purpose": "no_show_fee", "subject_id": reservation_id}


async def make_linked_payment(app: App, reservation_id: int) -> dict[str, Any]:
    """Begin a payment by link; return the link."""
    made = await app.answer("customer", "create_payment_link", the_fee(reservation_id))
    begun = await asyncio.gather(*(app.answer(None, "start_linked_payment", {"link": made.link}) for _ in range(3)))
    assert len({each.payment_id for each in begun}) == 1
    return {"link": made.link}


async def test_a_fee_is_paid_by_card_once_despite_repeated_notifications(app: App) -> None:
    stripe, missed = await make_stripe(app), await make_missed_visit(app, FEE)
    assert await fate(app, missed) == ("due", False)
    assert await refused(app, "customer2", "create_payment", the_fee(missed)) == (404, "NOT_FOUND")
    payment = (await app.answer("customer", "create_payment", the_fee(missed))).payment
    assert (payment.payment_minor, payment.price_family) == (FEE, "local_delivery")
    stripe.play("pay")
    await stripe.deliver(list(stripe.account.events) * 2)
    assert await fate(app, missed) == ("paid", True)
    assert await account_balances(app) == {"online": FEE, "revenue": FEE}
    assert await refused(app, "customer", "create_payment", the_fee(missed)) == (409, "PAYMENT_NOT_DUE")
    assert (await waive(app, missed)).error is None
    assert (await fate(app, missed), (await now(app, missed)).fee_waiver_reason) == (
        ("waived", False),
        "The road was closed.",
    )
    assert await account_balances(app) == {"online": FEE, "wallet": FEE}  # they have credit, and find it there


async def test_a_fee_can_be_paid_by_link_and_is_refunded_to_the_card_when_waived(app: App) -> None:
    stripe, missed = await make_stripe(app), await make_missed_visit(app, FEE)
    link = await make_linked_payment(app, missed)
    bill = await app.answer(None, "get_payment_link", link)
    assert (bill.status, bill.payment_minor, bill.purpose) == ("due", FEE, "no_show_fee")
    stripe.play("pay")
    await stripe.deliver()
    assert (await app.answer(None, "get_payment_link", link)).status == "paid"
    tries = await asyncio.gather(*(waive(app, missed) for _ in range(3)))
    assert [each.error for each in tries] == [None, None, None]
    await app.work_off()
    assert [each["amount"] for each in stripe.account.refunds.values()] == [FEE]
    assert await account_balances(app) == {}
    assert (await app.answer(None, "get_payment_link", link)).status == "paid"


async def test_a_payment_for_a_fee_waived_in_the_meantime_is_refunded_to_the_card(app: App) -> None:
    stripe, missed = await make_stripe(app), await make_missed_visit(app, FEE)
    link = await make_linked_payment(app, missed)
    await waive(app, missed)
    assert (await app.answer(None, "get_payment_link", link)).status == "over"
    stripe.play("pay")
    await stripe.deliver()
    await app.work_off()
    assert [each["amount"] for each in stripe.account.refunds.values()] == [FEE]
    assert (await fate(app, missed), await account_balances(app)) == (("waived", False), {})


async def test_a_late_arrival_gets_the_fee_refunded_to_the_paying_card(app: App) -> None:
    stripe, missed = await make_stripe(app), await make_missed_visit(app, FEE)
    await make_linked_payment(app, missed)
    stripe.play("pay")
    await stripe.deliver()
    await app.answer("admin", "check_in_reservation", {"reservation_id": missed})
    await app.work_off()
    assert [each["amount"] for each in stripe.account.refunds.values()] == [FEE]
    assert await account_balances(app) == {}
    assert status_and_code(await waive(app, missed)) == (409, "NO_SHOW_FEE_NOT_CHARGED")


async def test_a_fee_is_paid_once_from_credit_added_later(app: App) -> None:
    missed = await make_missed_visit(app, FEE)
    assert status_and_code(await pay(app, missed)) == (409, "CREDIT_INSUFFICIENT")
    assert status_and_code(await pay(app, missed, "customer2")) == (404, "NOT_FOUND")
    async with make_call(app) as call:
        await billing.top_up(call, app.ids["customer"], cad(3 * FEE), key="for the fee")
    tries = [status_and_code(each) for each in await asyncio.gather(*(pay(app, missed) for _ in range(3)))]
    assert sorted(tries) == [(200, None), (409, "NO_SHOW_FEE_NOT_DUE"), (409, "NO_SHOW_FEE_NOT_DUE")]
    assert await account_balances(app) == {"bank": 3 * FEE, "revenue": FEE, "wallet": 2 * FEE}


async def test_fees_can_be_filtered_by_status(app: App) -> None:
    missed = await make_missed_visit(app, FEE)

    async def listed(state: str, who: str = "admin") -> list[int]:
        found = await app.answer(who, "list_reservations", {"no_show_fee": state})
        return [each.id for each in found.reservations]

    assert (await listed("due"), await listed("paid"), await listed("waived")) == ([missed], [], [])
    assert await listed("due", "rival") == []
    await waive(app, missed)
    assert (await listed("due"), await listed("waived", "customer")) == ([], [missed])
    assert status_and_code(await waive(app, missed, "customer"))[0] == 403


async def test_a_fee_hidden_from_the_customer_is_settled_with_the_business(app: App) -> None:
    await make_stripe(app)
    missed = await make_missed_visit(app, FEE)
    hidden = {"customer_id": app.ids["customer"], "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hidden)
    no = (403, "PRICE_HIDDEN_SETTLE_OFFLINE")
    for who, operation in (
        ("customer", "create_payment"),
        ("customer", "create_payment_link"),
        ("admin", "create_payment_link"),
    ):
        assert await refused(app, who, operation, the_fee(missed)) == no
    assert status_and_code(await pay(app, missed)) == no
    assert await refused(app, "customer", "list_reservations", {"no_show_fee": "due"}) == no
    shown = (await app.rest("customer", "GET", f"/v1/reservations/{missed}")).json()["reservation"]
    assert {"no_show_fee_minor", "no_show_fee_paid", "no_show_fee_status"} & shown.keys() == set()
