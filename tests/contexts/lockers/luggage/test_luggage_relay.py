"""Luggage between lockers and hotels: booked, paid and handed over with evidence.

Handovers use tags, codes and PINs.
"""

import asyncio
import re
from typing import Any

from tests.contexts.billing.ledger.makers import credit, faults
from tests.contexts.lockers.luggage.examples import HOTEL
from tests.contexts.lockers.luggage.makers import PRICE, Relay, letters, make_relay, type_code
from tests.contexts.lockers.makers import refusal
from tests.contexts.payments.makers import make_stripe
from tests.support.app import App


def chain(booking: Any) -> list[tuple[str, str, str | None]]:
    """Return the custody chain of the first bag, with times and evidence."""
    first = booking.bags[0].tag
    return [(each.step, each.holder, each.proof) for each in booking.handovers if each.tag == first]


async def status_of(relay: Relay, luggage_id: int) -> str:
    return (await relay.now(luggage_id)).status


async def own_record(app: App) -> int:
    """The driver record of the driver who signs in; made when there is none."""
    found = (await app.answer("admin", "get_drivers", {})).drivers
    mine = next((each.id for each in found if each.user_id == app.ids["driver"]), None)
    if mine is not None:
        return mine
    for name in ("Dora", "Dina"):  # so that the record's number is not the user's
        await app.answer("admin", "create_driver", {"name": name})
    return (await app.answer("admin", "create_driver", {"name": "Dana", "user_id": app.ids["driver"]})).driver.id


async def test_luggage_travels_from_a_locker_to_a_hotel_with_a_complete_custody_record(app: App) -> None:
    relay = await make_relay(app)
    quote = await app.answer("customer", "quote_luggage", _wish(relay))
    assert (quote.total_price, quote.free_boxes, [line.code for line in quote.lines]) == (
        PRICE,
        True,
        ["base", "pieces", "tax"],
    )
    booking = await relay.paid(travel_reference="AC 871")
    assert (booking.status, booking.paid, (await credit(app))[0]) == ("booked", True, 100_000 - PRICE)
    told = letters(app)[-1]
    assert told.to == "traveller@example.com"
    for code in re.findall(r", (\d{8})", told.text):
        await type_code(relay.origin, code)
    assert await status_of(relay, booking.id) == "received"
    await app.answer("admin", "assign_luggage_driver", {"luggage_id": booking.id, "driver_id": await own_record(app)})
    assert (await relay.carry(booking, "load", "driver")).status == "in_transit"
    arrived = await relay.carry(booking, "unload", "driver")
    assert (arrived.status, arrived.late) == ("at_destination", False)
    await app.work_off()
    pin = re.search(r"\b\d{6}\b", letters(app)[-1].text)
    assert pin
    done = await relay.carry(booking, "hand_out", "driver", pin=pin[0])
    assert (done.status, [bag.status for bag in done.bags]) == ("collected", ["collected", "collected"])
    assert chain(done) == [
        ("receive", "locker", "door"),
        ("load", "courier", "door"),
        ("unload", "desk", "scan"),
        ("hand_out", "traveller", "pin"),
    ]
    assert [each.user_id for each in done.handovers[:4]] == [None, None, app.ids["driver"], app.ids["driver"]]
    seen = await app.answer(None, "track_package", {"number": done.tracking_number})
    told_to_anybody = [event.status_code for event in seen.events]
    assert told_to_anybody == ["booking_confirmed", "received", "in_transit", "ready_for_collection", "collected"]
    assert await faults(app) == []


async def test_luggage_travels_from_a_hotel_to_a_locker_that_notifies_the_traveller(app: App) -> None:
    relay = await make_relay(app)
    booking = await relay.paid(origin=HOTEL, destination=relay.to_locker)
    wrong = [await relay.app.answer("admin", "hand_over_luggage", _with_pin(booking, "000000")) for _ in range(5)]
    assert [(each.accepted, each.tries_left) for each in wrong] == [(False, left) for left in (4, 3, 2, 1, 0)]
    pin = (await relay.codes(booking.id)).pin
    assert (await relay.carry(booking, "receive", pin=pin)).status == "received"
    assert chain(await relay.now(booking.id)) == [("receive", "courier", "pin")]
    await relay.carry(booking, "load")
    stuck = {"luggage_id": booking.id, "step": "unload", "tags": [booking.bags[0].tag]}
    doors = (await app.answer("admin", "hand_over_luggage", stuck)).doors
    assert [each.id for each in (await app.answer("admin", "hand_over_luggage", stuck)).doors] == [doors[0].id]
    await relay.destination.does("failed")
    assert (await relay.carry(booking, "unload")).status == "at_destination"
    await app.work_off()
    codes = [re.search(r"\b\d{8}\b", each.text) for each in letters(app)[-2:]]
    for code in codes:
        assert code
        await type_code(relay.destination, code[0])
    assert await status_of(relay, booking.id) == "collected"


def _with_pin(booking: Any, pin: str) -> dict[str, Any]:
    return {"luggage_id": booking.id, "step": "receive", "tags": [bag.tag for bag in booking.bags], "pin": pin}


async def test_payment_is_refunded_immediately_when_no_door_opens(app: App) -> None:
    relay = await make_relay(app, boxes=2)
    both = await relay.paid()
    await relay.handed_in(both.id, "failed")
    await app.work_off()
    ended = await relay.now(both.id)
    assert (ended.status, ended.end_reason, (await credit(app))[0]) == ("cancelled", "door_stuck", 100_000)
    other = await make_relay_again(relay)
    one = await relay.paid(origin=other)
    first, second = (await relay.codes(one.id)).codes
    await type_code(relay.origin, first.code)
    await type_code(relay.origin, second.code, "failed")
    await app.work_off()
    half = await relay.now(one.id)
    assert (half.status, half.refunded_minor) == ("received", PRICE // 2)
    assert sorted(bag.status for bag in half.bags) == ["absent", "received"]
    assert await faults(app) == []


async def make_relay_again(relay: Relay) -> dict[str, Any]:
    """The boxes that were stuck work again."""
    faulty = {"site_id": relay.origin.site_id, "state": "faulty"}
    for box in (await relay.app.answer("admin", "list_locker_boxes", faulty)).boxes:
        await relay.app.answer("admin", "update_locker_box", {"box_id": box.id, "state": "ready"})
    return relay.from_locker


async def test_cancelling_refunds_all_then_a_share_and_is_refused_after_drop_off(app: App) -> None:
    relay = await make_relay(app)
    later = {
        "drop_from": "2090-06-10T14:00:00Z",
        "drop_until": "2090-06-10T16:00:00Z",
        "pick_from": "2090-06-11T00:00:00Z",
    }
    early, soon = await relay.paid(**later), await relay.paid()
    assert (early.refund_if_cancelled, soon.refund_if_cancelled) == (PRICE, PRICE // 2)
    for booking in (early, soon):
        tries = [
            app.call("customer", "cancel_luggage_booking", {"luggage_id": booking.id}, confirmed=True) for _ in range(8)
        ]
        assert sum(each.error is None for each in await asyncio.gather(*tries)) == 1
    assert (await credit(app))[0] == 100_000 - PRICE // 2
    within = await relay.paid()
    await relay.handed_in(within.id)
    asked = {"luggage_id": within.id}
    assert await refusal(app, "customer", "cancel_luggage_booking", asked) == (409, "LUGGAGE_STEP_REFUSED")
    assert letters(app)[-2].to == letters(app)[-1].to == "traveller@example.com"
    assert await faults(app) == []


async def test_an_unpaid_or_unused_booking_expires_and_releases_its_compartments(app: App) -> None:
    relay = await make_relay(app, boxes=2)
    unpaid, brought = await relay.booked(), await relay.paid()
    assert (await app.answer("customer", "quote_luggage", _wish(relay))).free_boxes is False
    waiting = await relay.paid()
    assert [bag.box for bag in waiting.bags] == [None, None]
    app.clock.forward(hours=2, minutes=1)
    await app.work_off()
    ends = [(await relay.now(each.id)).end_reason for each in (unpaid, brought, waiting)]
    assert ends == ["not_paid", "not_brought", "no_box"]
    assert (await credit(app))[0] == 100_000 - PRICE
    assert (await app.answer("customer", "quote_luggage", _wish(relay))).free_boxes is True
    asked = {"luggage_id": unpaid.id}
    assert await refusal(app, "customer", "pay_luggage_booking", asked) == (409, "LUGGAGE_STEP_REFUSED")


def _wish(relay: Relay) -> dict[str, Any]:
    return {
        name: value for name, value in relay.wish().items() if name in ("service_code", "bags", "origin", "destination")
    }


async def test_of_concurrent_bookings_of_one_compartment_one_succeeds_and_each_is_paid_once(app: App) -> None:
    relay = await make_relay(app, boxes=1)
    made = [await relay.booked(bags=[{"size": "s"}]) for _ in range(6)]
    asked = [{"luggage_id": each.id} for each in made for _ in range(3)]
    paid = await asyncio.gather(*(app.call("customer", "pay_luggage_booking", each, confirmed=True) for each in asked))
    assert sum(each.error is None for each in paid) == 6
    await app.work_off()
    boxes = [(await relay.now(each.id)).bags[0].box for each in made]
    assert sorted(boxes, key=str) == [1, None, None, None, None, None]
    assert (await credit(app))[0] == 100_000 - 6 * 1695


async def test_uncollected_luggage_becomes_overdue_and_the_office_can_extend_it(app: App) -> None:
    relay = await make_relay(app)
    booking = await relay.arrived(destination=relay.to_locker)
    code = (await relay.codes(booking.id)).codes
    app.clock.forward(days=3, minutes=1)
    await app.work_off()
    assert await status_of(relay, booking.id) == "overdue"
    assert not (await relay.destination.says("present_locker_code", code=code[0].code)).accepted
    until = {"luggage_id": booking.id, "until": (app.clock().isoformat()[:10]) + "T23:59:00Z"}
    assert (await app.answer("admin", "extend_luggage_pickup", until)).luggage.status == "at_destination"
    for each in code:
        await type_code(relay.destination, each.code)
    assert await status_of(relay, booking.id) == "collected"


async def test_late_lost_and_damaged_luggage_is_claimed_and_paid_up_to_the_liability_limit(app: App) -> None:
    relay = await make_relay(app)
    await app.answer("admin", "set_luggage_settings", {"liability_minor": 5000})
    booking = await relay.under_way()
    first, second = (bag.tag for bag in booking.bags)
    claim = {"luggage_id": booking.id, "note": "It is not there"}
    early = {**claim, "kind": "late"}
    assert await refusal(app, "customer", "file_luggage_claim", early) == (409, "LUGGAGE_CLAIM_REFUSED")
    app.clock.forward(hours=7)
    await app.work_off()
    assert (await relay.now(booking.id)).late
    await app.answer("customer", "file_luggage_claim", early)
    assert await refusal(app, "customer", "file_luggage_claim", early) == (409, "LUGGAGE_CLAIM_REFUSED")
    for fault, tag in (("lost", first), ("damaged", second)):
        report = {"luggage_id": booking.id, "tag": tag, "fault": fault, "note": "Nobody knows"}
        await app.answer("admin", "report_luggage_bag", report)
    lost = (await app.answer("customer", "file_luggage_claim", {**claim, "kind": "lost", "tag": first})).claim
    settle = {"luggage_claim_id": lost.id, "outcome": "accept", "reason": "Searched everywhere"}
    much = {**settle, "amount_minor": 5000 + PRICE // 2 + 1}
    assert await refusal(app, "admin", "settle_luggage_claim", much) == (409, "LUGGAGE_AMOUNT_TOO_HIGH")
    paid = (await app.answer("admin", "settle_luggage_claim", {**settle, "amount_minor": 6000}, confirmed=True)).claim
    assert (paid.refunded_minor, paid.compensation_minor) == (PRICE // 2, 6000 - PRICE // 2)
    assert (await credit(app))[0] == 100_000 - PRICE + 6000
    found = await relay.carry(booking, "unload")
    assert (found.status, [bag.status for bag in found.bags]) == ("at_destination", ["unloaded", "unloaded"])
    listed = (await app.answer("customer", "list_luggage_claims", {"status": "open"})).claims
    assert [each.kind for each in listed] == ["late"]
    dropped = {"luggage_claim_id": listed[0].id}
    assert (await app.answer("customer", "withdraw_luggage_claim", dropped)).claim.status == "withdrawn"
    today = app.clock().date().isoformat()
    assert not (
        await app.answer("admin", "get_luggage_report", {"date_from": "2020-01-01", "date_to": "2020-12-31"})
    ).groups
    (sums,) = (await app.answer("admin", "get_luggage_report", {"date_from": today, "date_to": today})).groups
    assert (sums.key, sums.bookings, sums.bags, sums.late, sums.refunded_minor) == ("city-bags", 1, 2, 1, PRICE // 2)
    assert await faults(app) == []


async def test_customers_drivers_and_other_businesses_see_only_their_own_bookings(app: App) -> None:
    relay = await make_relay(app)
    mine = await relay.booked()
    asked = {"luggage_id": mine.id}
    for who in ("customer2", "driver", "rival"):
        assert (await refusal(app, who, "get_luggage_booking", asked))[0] == 404
        assert (await app.answer(who, "list_luggage_bookings", {})).bookings == []
    await app.answer("admin", "assign_luggage_driver", {**asked, "driver_id": await own_record(app)})
    seen = (await app.answer("driver", "list_luggage_bookings", {})).bookings
    assert ([each.id for each in seen], seen[0].price_hidden) == ([mine.id], True)
    by_tag = {"tag": mine.bags[0].tag}
    assert [each.id for each in (await app.answer("admin", "list_luggage_bookings", by_tag)).bookings] == [mine.id]
    moved = {**asked, "destination": {**HOTEL, "name": "Hotel King"}, "note": "Ring"}
    changed = (await app.answer("customer", "update_luggage_booking", moved)).luggage
    assert (changed.destination.name, changed.note, changed.total_price) == ("Hotel King", "Ring", PRICE)


async def test_rescheduling_refunds_no_more_than_cancelling(app: App) -> None:
    relay = await make_relay(app)
    later = {"drop_until": "2090-06-10T16:00:00Z", "pick_from": "2090-06-10T20:00:00Z"}
    soon = await relay.paid()
    asked = {"luggage_id": soon.id, **later}
    assert await refusal(app, "customer", "update_luggage_booking", asked) == (409, "LUGGAGE_STEP_REFUSED")
    assert (await app.answer("admin", "update_luggage_booking", asked)).luggage.drop_until.year == 2090
    zone = {"code": "fr", "name": "France", "countries": ["FR"], "amount_minor": 9000}
    by_zone = {"zones": [{**zone, "code": "ca", "name": "Canada", "countries": ["CA"], "amount_minor": 100}, zone]}
    service = {"code": "zoned", "kind": "luggage", "name": "Zoned", "pricing": by_zone}
    await app.answer("admin", "create_service", service)
    booking = await relay.booked(service_code="zoned")
    paris = {"luggage_id": booking.id, "destination": {**HOTEL, "country": "FR"}}
    moved = (await app.answer("customer", "update_luggage_booking", paris)).luggage
    assert (booking.total_price, moved.total_price) == (100, 9000)


async def test_a_booking_can_be_paid_online(app: App) -> None:
    stripe = await make_stripe(app)
    relay = await make_relay(app, money=0)
    booking = await relay.booked()
    await app.answer("customer", "create_payment", {"purpose": "luggage", "subject_id": booking.id})
    stripe.play("pay")
    await stripe.deliver()
    assert (await relay.now(booking.id)).paid


async def test_statement_count_is_constant_for_any_number_of_bookings_and_events(app: App) -> None:
    relay, counted = await make_relay(app), []
    for others in (1, 1, 8):
        for _ in range(others):
            await relay.booked(origin=HOTEL)
        before = app.statements
        booking = await relay.booked(origin=HOTEL)
        await app.call("customer", "pay_luggage_booking", {"luggage_id": booking.id}, confirmed=True)
        for operation in ("list_luggage_bookings", "list_luggage_claims"):
            await app.answer("customer", operation, {})
        await relay.carry(booking, "receive", identity_checked="passport")
        counted.append(app.statements - before)
    assert counted[1] == counted[2]


async def test_a_driver_sees_the_luggage_once_they_have_an_account(app: App) -> None:
    relay = await make_relay(app)
    asked = {"luggage_id": (await relay.booked()).id}
    record = (await app.answer("admin", "create_driver", {"name": "Dana"})).driver.id
    assert (
        await app.answer("admin", "assign_luggage_driver", {**asked, "driver_id": record})
    ).luggage.driver_id == record
    assert (await refusal(app, "driver", "get_luggage_booking", asked))[0] == 404
    account = {"driver_id": record, "user_id": app.ids["driver"]}
    await app.answer("admin", "update_driver", account)
    assert (await app.answer("driver", "get_luggage_booking", asked)).luggage.driver_id == record


async def test_luggage_accepts_listed_drivers_and_no_users(app: App) -> None:
    relay = await make_relay(app)
    asked = {"luggage_id": (await relay.booked()).id}
    await own_record(app)
    listed = [each.id for each in (await app.answer("admin", "get_drivers", {})).drivers]
    for id in listed:
        await app.answer("admin", "assign_luggage_driver", {**asked, "driver_id": id})
    nobody = max(*listed, app.ids["driver"]) + 1
    assert await refusal(app, "admin", "assign_luggage_driver", {**asked, "driver_id": nobody}) == (404, "NOT_FOUND")
