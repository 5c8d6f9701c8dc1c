"""A code is the same in emails, pages and API until used or manually replaced."""

import re
from typing import Any

from tests.contexts.billing.ledger.makers import some_credit
from tests.contexts.identity.mailbox import received_mails
from tests.contexts.lockers.luggage.examples import HOTEL
from tests.contexts.lockers.luggage.makers import make_relay
from tests.contexts.lockers.makers import deposited, make_cabinet
from tests.contexts.lockers.shop.makers import make_shop
from tests.support.app import App

from haulier.contexts.lockers.luggage.actions.bookings import EMAIL_JOB as LUGGAGE_EMAIL
from haulier.contexts.lockers.luggage.actions.bookings import LuggageEmail
from haulier.contexts.lockers.parcels.actions.steps import LETTER_JOB as PARCEL_EMAIL
from haulier.contexts.lockers.parcels.actions.steps import READY, LockerEmail
from haulier.contexts.lockers.shop.actions import EMAIL_JOB as SHOP_EMAIL
from haulier.contexts.lockers.shop.actions import ShopEmail
from haulier.kernel.call import call_as_system


async def emailed(app: App, digits: int) -> list[str]:
    """The code of each email so far that has one."""
    found = [re.findall(rf"\b\d{{{digits}}}\b", mail.text) for mail in await received_mails(app)]
    return [code for codes in found for code in codes]


async def send_again(app: App, kind: str, args: Any) -> None:
    """Send an email again, as a job does that lost its connection."""
    async with app.database.write(app.clients["demo"]) as work:
        await (await call_as_system(app.application, app.clients["demo"], work)).enqueue(kind, args)
    await app.work_off()


async def test_a_purchase_email_keeps_the_code_shown_on_the_page_valid(app: App) -> None:
    shop = await make_shop(app)
    await some_credit(app, 10_000)
    purchase = await shop.buy()
    await send_again(app, SHOP_EMAIL, ShopEmail(purchase.id, READY))
    first, second = await emailed(app, 8)
    assert first == second
    shown = await shop.code(purchase.id)
    await send_again(app, SHOP_EMAIL, ShopEmail(purchase.id, READY))
    assert (await emailed(app, 8))[-1] == shown
    await shop.open_with(shown)


async def test_a_resent_parcel_email_contains_the_same_code(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel = await deposited(app, cabinet)
    await app.work_off()
    await send_again(app, PARCEL_EMAIL, LockerEmail(parcel.id, READY))
    first, second = await emailed(app, 8)
    assert first == second
    renewed = (await app.answer("admin", "renew_locker_code", {"locker_parcel_id": parcel.id})).code
    await send_again(app, PARCEL_EMAIL, LockerEmail(parcel.id, READY))
    assert (await emailed(app, 8))[-1] == renewed != first
    assert not (await cabinet.says("present_locker_code", code=first)).accepted
    assert (await cabinet.says("present_locker_code", code=renewed)).accepted


async def test_a_luggage_email_contains_the_codes_and_pin_shown_before(app: App) -> None:
    relay = await make_relay(app)
    boxes = await relay.paid()
    shown = [each.code for each in (await relay.codes(boxes.id)).codes]
    await send_again(app, LUGGAGE_EMAIL, LuggageEmail(boxes.id, "drop"))
    assert (await emailed(app, 8))[-2:] == shown
    hotel = await relay.paid(origin=HOTEL, destination=relay.to_locker)
    pin = (await relay.codes(hotel.id)).pin
    await send_again(app, LUGGAGE_EMAIL, LuggageEmail(hotel.id, "drop"))
    assert (await emailed(app, 6))[-1] == pin


async def test_a_wrong_luggage_pin_is_refused(app: App) -> None:
    relay = await make_relay(app)
    booking = await relay.paid(origin=HOTEL, destination=relay.to_locker)
    asked = {"luggage_id": booking.id, "step": "receive", "tags": [bag.tag for bag in booking.bags]}
    answer = await app.answer("admin", "hand_over_luggage", {**asked, "pin": "000000"})
    assert (answer.result, answer.accepted, answer.tries_left) == (False, False, 4)
