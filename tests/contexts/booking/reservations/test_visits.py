"""Visits: booked with a code, checked in on time, and missed with a fee."""

from typing import Any

from tests.contexts.billing.ledger.makers import cad, make_call
from tests.contexts.booking.reservations.makers import DAY, count_taken, make_window, try_to_hold
from tests.contexts.identity.mailbox import received_mails
from tests.support.app import App
from tests.support.transport import make_order, status_and_code

from haulier.contexts.billing import public as billing

CREDIT, PRICE, FEE = 10_000, 400, 250
DOCK = {"name": "Dock 1", "kind": "dock", "address": "65 Front St W, gate 3", "no_show_fee_minor": FEE}


async def make_place(app: App, **words: Any) -> int:
    """A dock that people come to, and a customer with credit."""
    async with make_call(app) as call:
        await billing.top_up(call, app.ids["customer"], cad(CREDIT), key="for visits")
    return (await app.answer("admin", "create_booking_zone", {**DOCK, **words})).zone.id


async def make_visit(app: App, zone_id: int | None = None, **words: Any) -> Any:
    """A visit that the customer has booked, for 4.00, from ten to twelve in two days."""
    window_id = await make_window(app, zone_id or await make_place(app), price_minor=PRICE, **words)
    held = await app.answer("customer", "hold_window", {"window_id": window_id})
    return await step(app, "confirm_reservation", held.reservation, "customer")


async def step(app: App, name: str, reservation: Any, who: str = "admin", **words: Any) -> Any:
    return (await app.answer(who, name, {"reservation_id": reservation.id, **words})).reservation


async def balance(app: App) -> int:
    credits = (await app.answer("customer", "get_account_credits")).credits
    return next(each.balance_minor for each in credits)


async def until(app: App, reservation: Any, minutes: int) -> None:
    """Advance to a number of minutes after the start of a visit."""
    starts_in = reservation.starts_at - app.clock.now
    app.clock.forward(minutes=starts_in.total_seconds() / 60 + minutes)


async def test_a_visit_is_found_paid_and_checked_in_by_its_code(app: App) -> None:
    zone_id = await make_place(app)
    visit = await make_visit(app, zone_id)
    assert (visit.status, len(visit.code), visit.address, visit.order_id) == ("confirmed", 6, DOCK["address"], None)
    assert await balance(app) == CREDIT - PRICE
    (letter,) = await received_mails(app)
    assert visit.code in letter.text
    for asked in ({"zone_id": zone_id}, {"kind": "dock"}):
        (found,) = (await app.answer("customer", "find_bookable_windows", asked)).windows
        assert (found.zone_name, found.left, found.waiting) == ("Dock 1", 1, 0)
    assert (await app.answer("customer", "find_bookable_windows", {"kind": "locker"})).total == 0
    by_code = {"code": visit.code.lower()}
    assert status_and_code(await app.call("admin", "check_in_by_code", by_code)) == (409, "RESERVATION_CHECK_IN_CLOSED")
    await until(app, visit, -30)
    assert status_and_code(await app.call("rival", "check_in_by_code", by_code))[0] == 404
    came = (await app.answer("admin", "check_in_by_code", by_code)).reservation
    assert (came.status, came.checked_in_at) == ("checked_in", app.clock.now)
    assert (await app.answer("admin", "check_in_by_code", by_code)).reservation.checked_in_at == came.checked_in_at
    for name in ("cancel_reservation", "confirm_reservation"):
        refused = await app.call("admin", name, {"reservation_id": visit.id})
        assert status_and_code(refused) == (409, "RESERVATION_CHECKED_IN")
    await until(app, visit, 200)
    await app.work_off()
    assert (await step(app, "get_reservation", visit)).status == "checked_in"
    assert (await app.answer("admin", "list_reservations", {"status": "checked_in"})).total == 1


async def test_a_customer_can_check_in_until_the_grace_period_ends(app: App) -> None:
    visit = await make_visit(app)
    await until(app, visit, 14)
    assert (await step(app, "check_in_reservation", visit, "customer")).status == "checked_in"


async def test_a_missed_visit_charges_a_fee_and_frees_its_place_until_a_late_arrival_restores_both(app: App) -> None:
    visit = await make_visit(app, capacity=1)
    await until(app, visit, 15)
    refused = await app.call("customer", "check_in_reservation", {"reservation_id": visit.id})
    assert status_and_code(refused) == (409, "RESERVATION_CHECK_IN_CLOSED")
    await app.work_off()
    missed = await step(app, "get_reservation", visit, "customer")
    assert (missed.status, missed.no_show_fee_minor, missed.no_show_fee_paid) == ("no_show", FEE, True)
    assert await balance(app) == CREDIT - PRICE - FEE
    assert await count_taken(app, visit.window_id) == 0
    refused = await app.call("customer", "check_in_reservation", {"reservation_id": visit.id})
    assert status_and_code(refused) == (409, "RESERVATION_OVER")
    late = await step(app, "check_in_reservation", visit)
    assert (late.status, late.ended_at) == ("checked_in", None)
    assert await balance(app) == CREDIT - PRICE
    assert status_and_code(await try_to_hold(app, visit.window_id)) == (409, "BOOKING_WINDOW_FULL")


async def test_a_no_shows_place_is_given_to_a_walk_in(app: App) -> None:
    visit = await make_visit(app, await make_place(app, no_show_refund=True, no_show_fee_minor=None), capacity=1)
    await until(app, visit, 15)
    await app.work_off()
    assert await balance(app) == CREDIT  # nothing is kept: the place says so
    assert status_and_code(await try_to_hold(app, visit.window_id, "customer")) == (409, "BOOKING_WINDOW_CUT_OFF")
    walked_in = (await try_to_hold(app, visit.window_id)).answer.reservation
    confirmed = await step(app, "confirm_reservation", walked_in, order_id=await make_order(app))
    assert (await step(app, "check_in_reservation", confirmed)).status == "checked_in"
    refused = await app.call("admin", "check_in_reservation", {"reservation_id": visit.id})
    assert status_and_code(refused) == (409, "BOOKING_WINDOW_FULL")


async def test_a_moved_or_cancelled_visit_is_recharged_or_refunded(app: App) -> None:
    zone_id = await make_place(app)
    visit = await make_visit(app, zone_id)
    dearer = await make_window(app, zone_id, starts="14:00", ends="16:00", price_minor=PRICE + 100)
    moved = await step(app, "reschedule_reservation", visit, "customer", window_id=dearer)
    assert (moved.code, await balance(app)) == (visit.code, CREDIT - PRICE - 100)
    back = await step(app, "reschedule_reservation", visit, "customer", window_id=visit.window_id)
    assert (back.window_id, await balance(app)) == (visit.window_id, CREDIT - PRICE)
    await step(app, "reschedule_reservation", visit, "customer", window_id=dearer)
    await until(app, visit, 20)
    await app.work_off()  # the job of the window it had first finds it elsewhere
    assert (await step(app, "get_reservation", visit)).status == "confirmed"
    await step(app, "cancel_reservation", visit)
    assert await balance(app) == CREDIT


async def test_a_delivery_needs_an_address_and_has_no_check_in(app: App) -> None:
    window_id = await make_window(app, day=DAY)
    held = await app.call("customer", "hold_window", {"window_id": window_id})
    assert [each["field"] for each in held.error["errors"]] == ["postal_code"]
    place = (await try_to_hold(app, window_id, "customer")).answer.reservation
    refused = await app.call("customer", "check_in_reservation", {"reservation_id": place.id})
    assert status_and_code(refused) == (409, "RESERVATION_NO_VISIT")
    nowhere = await app.call("admin", "create_booking_zone", {"name": "Nowhere"})
    assert [each["field"] for each in nowhere.error["errors"]] == ["postal_prefixes"]
