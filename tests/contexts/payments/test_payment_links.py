"""Rentals and luggage are paid by card or link; refunds go back to the card."""

import asyncio
from typing import Any

from tests.contexts.lockers.luggage.makers import PRICE, Relay, make_relay, type_code
from tests.contexts.lockers.makers import refusal
from tests.contexts.lockers.resale_makers import DAY_PRICE, SETUP, make_resale
from tests.contexts.payments.makers import Stripe, account_balances, make_stripe
from tests.support.app import App

BOXES, DAYS = 2, 10
TERM = BOXES * DAYS * DAY_PRICE + SETUP
EXTENSION = 2 * BOXES * DAY_PRICE


async def make_link(app: App, purpose: str, subject_id: int, who: str = "admin") -> dict[str, Any]:
    """A link, as those name it who have it."""
    made = await app.answer(who, "create_payment_link", {"purpose": purpose, "subject_id": subject_id})
    assert made.pay_url.endswith(f"/pay#{made.link}")
    return {"link": made.link}


async def bill(app: App, link: dict[str, Any]) -> Any:
    return await app.answer(None, "get_payment_link", link)


async def pay(app: App, stripe: Stripe, link: dict[str, Any]) -> None:
    """Pay by link with a card; the provider sends the notice twice."""
    begun = await app.answer(None, "start_linked_payment", link)
    assert (begun.status, begun.publishable_key) == ("requires_payment_method", "pk_test_1")
    stripe.play("pay")
    events = list(stripe.account.events)
    await stripe.deliver(events + events[::-1])


def given_back(stripe: Stripe) -> list[int]:
    """Return the refunds to cards."""
    return [each["amount"] for each in stripe.account.refunds.values()]


async def luggage_report(app: App) -> list[tuple[int, int]]:
    """Return the payments and refunds of luggage."""
    day = app.clock().date().isoformat()
    found = await app.answer("admin", "get_luggage_report", {"date_from": day, "date_to": day})
    return [(each.gross_minor, each.refunded_minor) for each in found.groups]


async def test_a_rental_is_paid_by_card_once_despite_repeated_notifications(app: App) -> None:
    stripe, resale = await make_stripe(app), await make_resale(app)
    lease = await resale.reserve(BOXES, DAYS)
    asked = {"purpose": "locker_lease", "subject_id": lease.id}
    assert await refusal(app, "customer2", "create_payment", asked) == (404, "NOT_FOUND")
    payment = (await app.answer("customer", "create_payment", asked)).payment
    assert (payment.payment_minor, payment.price_family) == (TERM, "storage_services")
    stripe.play("pay")
    await stripe.deliver(list(stripe.account.events) * 2)
    paid = await resale.now(lease.id)
    assert (paid.status, paid.paid_amount) == ("active", TERM)
    assert await account_balances(app) == {"online": TERM, "revenue": TERM}
    assert await refusal(app, "customer", "create_payment", asked) == (409, "PAYMENT_NOT_DUE")
    await resale.step("cancel_locker_lease", lease.id)
    assert given_back(stripe) == []  # they have credit, and find it there
    assert await account_balances(app) == {"online": TERM, "wallet": TERM}


async def test_unpaid_compartments_are_released_and_a_late_payment_becomes_credit(app: App) -> None:
    stripe, resale = await make_stripe(app), await make_resale(app)
    lease = await resale.reserve(BOXES, DAYS)
    await app.answer("customer", "create_payment", {"purpose": "locker_lease", "subject_id": lease.id})
    app.clock.forward(minutes=61)
    await app.work_off()
    assert (await resale.now(lease.id)).status == "cancelled"
    assert (await resale.offered()).available == 4
    stripe.play("pay")
    await stripe.deliver()
    assert (await resale.now(lease.id)).status == "cancelled"
    assert await account_balances(app) == {"online": TERM, "wallet": TERM}


async def test_a_rental_can_be_paid_by_link_and_unused_days_are_refunded_to_the_card(app: App) -> None:
    stripe, resale = await make_stripe(app), await make_resale(app)
    lease = await resale.reserve(BOXES, DAYS)
    link = await make_link(app, "locker_lease", lease.id, "customer")
    due = await bill(app, link)
    assert (due.status, due.payment_minor, due.currency, due.purpose) == ("due", TERM, "CAD", "locker_lease")
    begun = await asyncio.gather(*(app.answer(None, "start_linked_payment", link) for _ in range(4)))
    assert len({each.payment_id for each in begun}) == 1
    await pay(app, stripe, link)
    assert (await bill(app, link)).status == "paid"
    await resale.top_up(EXTENSION, key="for an extension")
    await resale.step("extend_locker_lease", lease.id, days=2)
    app.clock.forward(days=4)
    await resale.step("revoke_locker_lease", lease.id, "admin", reason="The hall is being rebuilt")
    await app.work_off()
    assert given_back(stripe) == [(DAYS - 4) * BOXES * DAY_PRICE]
    left = TERM - given_back(stripe)[0]
    # The days of the extension were paid from credit, and are credit again.
    assert await account_balances(app) == {"online": left, "revenue": left, "bank": EXTENSION, "wallet": EXTENSION}
    entries = await app.answer("admin", "list_lease_entries", {"locker_lease_id": lease.id})
    assert sum(each.amount for each in entries.entries) == left


async def test_luggage_is_paid_by_link_and_cancelling_refunds_to_the_card(app: App) -> None:
    stripe, relay = await make_stripe(app), await make_relay(app, money=0)
    booking = await relay.booked()
    assert await refusal(app, "customer2", "create_payment_link", {"purpose": "luggage", "subject_id": booking.id}) == (
        404,
        "NOT_FOUND",
    )
    link = await make_link(app, "luggage", booking.id)
    await pay(app, stripe, link)
    paid = await relay.now(booking.id)
    assert (paid.paid, (await bill(app, link)).status) == (True, "paid")
    assert await refusal(app, None, "start_linked_payment", link) == (409, "PAYMENT_NOT_DUE")
    cancelled = await app.call("admin", "cancel_luggage_booking", {"luggage_id": booking.id}, confirmed=True)
    assert cancelled.error is None
    await app.work_off()
    assert given_back(stripe) == [PRICE // 2]
    assert await account_balances(app) == {"online": PRICE // 2, "revenue": PRICE // 2}
    assert await luggage_report(app) == [(PRICE, PRICE // 2)]


async def test_a_stuck_door_refunds_the_luggage_payment_to_the_card(app: App) -> None:
    stripe, relay = await make_stripe(app), await make_relay(app, money=0, boxes=2)
    booking = await relay.booked()
    await pay(app, stripe, await make_link(app, "luggage", booking.id))
    await fail_to_open_door(app, relay, booking.id)
    assert given_back(stripe) == [PRICE // 2]
    assert (await relay.now(booking.id)).refunded_minor == PRICE // 2
    assert await account_balances(app) == {"online": PRICE // 2, "revenue": PRICE // 2}


async def fail_to_open_door(app: App, relay: Relay, luggage_id: int) -> None:
    """Hand one bag in; the box of the other one does not open, and no other is free."""
    codes = (await relay.codes(luggage_id)).codes
    await type_code(relay.origin, codes[0].code)
    await type_code(relay.origin, codes[1].code, "failed")
    await app.work_off()


async def test_an_expired_link_accepts_no_payment_and_a_late_one_is_refunded(app: App) -> None:
    stripe, relay = await make_stripe(app), await make_relay(app, money=0)
    booking = await relay.booked()
    link = await make_link(app, "luggage", booking.id)
    await app.answer(None, "start_linked_payment", link)
    app.clock.forward(minutes=61)
    await app.work_off()
    assert (await relay.now(booking.id)).status == "cancelled"
    over = await bill(app, link)
    assert (over.status, over.payment_minor) == ("over", 0)
    stripe.play("pay")
    await stripe.deliver()
    await app.work_off()
    assert given_back(stripe) == [PRICE]
    assert await account_balances(app) == {}
    nothing = {"purpose": "luggage", "subject_id": booking.id}
    assert await refusal(app, "admin", "create_payment_link", nothing) == (409, "PAYMENT_NOT_DUE")
    app.clock.forward(days=31)
    for operation in ("get_payment_link", "start_linked_payment"):
        assert await refusal(app, None, operation, link) == (404, "PAYMENT_LINK_INVALID")


async def test_a_link_reveals_nothing_hidden_from_the_customer(app: App) -> None:
    await make_stripe(app)
    resale = await make_resale(app)
    lease = await resale.reserve()
    hidden = {"customer_id": app.ids["customer"], "hidden": ["storage_services"]}
    await app.answer("admin", "set_price_visibility", hidden)
    asked = {"purpose": "locker_lease", "subject_id": lease.id}
    for who in ("admin", "customer"):
        assert await refusal(app, who, "create_payment_link", asked) == (403, "PRICE_HIDDEN_SETTLE_OFFLINE")
    assert await refusal(app, "rival", "create_payment_link", asked) == (404, "NOT_FOUND")
