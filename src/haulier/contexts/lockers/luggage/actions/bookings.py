"""Writes of luggage bookings, within the caller's transaction and on locked rows."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from haulier.contexts.billing.events import PaymentReturned
from haulier.contexts.billing.public import MoneySubject, charge, mark_service_used
from haulier.contexts.billing.public import give_back as give_charge_back
from haulier.contexts.fleet.public import driver_not_found, get_driver_row
from haulier.contexts.identity.public import customer_meant, is_customer
from haulier.contexts.lockers.events import LuggageChanged
from haulier.contexts.lockers.luggage.actions.prices import describe_place, price_values, price_wish
from haulier.contexts.lockers.luggage.actions.work import (
    BOXES_JOB,
    CANCELLED,
    DUE_JOB,
    LETTER_JOB,
    DueLuggage,
    LuggageLetter,
)
from haulier.contexts.lockers.luggage.contract.bookings import (
    FAMILY,
    BookLuggage,
    LuggagePlace,
    LuggageWish,
    NewBag,
    UpdateLuggageBooking,
)
from haulier.contexts.lockers.luggage.queries import get_terms
from haulier.contexts.lockers.luggage.rules import (
    BOX_LEAD,
    ENDED,
    LUGGAGE_TAG_TAKEN,
    BagStatus,
    BookingStatus,
    BookingStep,
    LuggageEnd,
    LuggageTerms,
    can,
    make_tag,
    refund_percent,
    refund_share,
    refused,
    require_step,
)
from haulier.contexts.lockers.luggage.store import bookings as store
from haulier.contexts.lockers.luggage.store.tables import LuggageBagRow, LuggageRow
from haulier.contexts.lockers.parcels.actions.doors import find_door_under_way
from haulier.contexts.lockers.parcels.actions.steps import take_step
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import LockerStatus, LockerStep
from haulier.contexts.tracking.public import Location, NewEvent, begin_timelines, record_events
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found
from haulier.kernel.values.ids import make_tracking_number
from haulier.kernel.values.money import Money

MONEY_KIND, PURPOSE = "luggage_booking", "luggage"
"""Names of a booking in the ledger and in online payments."""
TRACKED = {
    BookingStatus.BOOKED: ("booking_confirmed", "parcel"),
    BookingStatus.RECEIVED: ("received", "parcel"),
    BookingStatus.IN_TRANSIT: ("in_transit", "parcel"),
    BookingStatus.AT_DESTINATION: ("ready_for_collection", "parcel"),
    BookingStatus.COLLECTED: ("collected", "locker"),
    BookingStatus.OVERDUE: ("expired", "locker"),
    BookingStatus.LOST: ("lost", "parcel"),
    BookingStatus.CANCELLED: ("cancelled", "parcel"),
}
"""Tracking events and their wording."""
TAG_ATTEMPTS = 5


async def book_luggage(call: Call, request: BookLuggage) -> LuggageRow:
    """Create a booking at today's price. It is cancelled if not paid in time.

    Raises `NOT_FOUND`, `NOT_A_CUSTOMER`, `LUGGAGE_TAG_TAKEN`, `INVALID_REQUEST`, and the errors of pricing.
    """
    customer_id = await customer_meant(call, request.customer_id)
    if request.drop_until <= call.now:
        raise INVALID_REQUEST.for_fields(FieldError("drop_until", "field.until_over"))
    priced, terms = await price_wish(call, request), await get_terms(call)
    traveller = request.traveller
    pay_until = min(call.now + timedelta(minutes=terms.pay_minutes), request.drop_until)
    booking_id = await LuggageRow.insert(
        call.work,
        **{
            **price_values(priced.price),
            **request.model_dump(include={"service_code", "drop_from", "drop_until", "pick_from"}),
            **request.model_dump(include={"travel_reference", "note"}),
            "form_values": priced.values,
            "origin": priced.origin,
            "destination": priced.destination,
            "from_site_id": request.origin.site_id,
            "to_site_id": request.destination.site_id,
            "customer_id": customer_id,
            "traveller_name": traveller.name,
            "traveller_email": traveller.email,
            "traveller_phone": traveller.phone,
            "language": call.language,
            "tracking_number": make_tracking_number(call.now),
            "status": BookingStatus.BOOKED.value,
            "bag_count": len(request.bags),
            "refunded_minor": 0,
            "pay_until": pay_until,
            "wrong_pins": 0,
            "late": False,
            "door_stuck": False,
            "created_at": call.now,
        },
    )
    for number, bag in enumerate(request.bags, 1):
        await _add_bag(call, booking_id, number, bag)
    await mark_service_used(call, priced.service.id)
    await call.enqueue(DUE_JOB, DueLuggage(booking_id), run_at=pay_until)
    return await announce(call, booking_id, tracked=False)


async def _add_bag(call: Call, booking_id: int, number: int, bag: NewBag) -> None:
    values: dict[str, Any] = {
        "booking_id": booking_id,
        "number": number,
        "size": bag.size,
        "description": bag.description,
        "status": BagStatus.EXPECTED.value,
        "damaged": False,
    }
    for attempt in range(TAG_ATTEMPTS):
        try:
            async with call.work.savepoint():
                await store.insert_bag(call.work, {**values, "tag": bag.tag or make_tag()})
        except UniqueConflict:
            if bag.tag:
                raise LUGGAGE_TAG_TAKEN(tag=bag.tag) from None
            if attempt == TAG_ATTEMPTS - 1:
                raise
        else:
            return


async def update_luggage(
    call: Call, row: LuggageRow, bags: Sequence[LuggageBagRow], request: UpdateLuggageBooking
) -> LuggageRow:
    """Update a booking: times until drop-off, the destination until arrival.

    Unpaid bookings are repriced. Raises `LUGGAGE_STEP_REFUSED`, `NOT_FOUND`, `INVALID_REQUEST` for times that do not
    ascend, and the errors of pricing.
    """
    if BookingStatus(row.status) in ENDED:
        raise refused(BookingStep.UPDATE, BookingStatus(row.status))
    values: dict[str, Any] = request.model_dump(include={"travel_reference", "note"}, exclude_none=True)
    if request.traveller is not None:
        values |= {f"traveller_{name}": value for name, value in request.traveller.model_dump().items()}
    times = request.model_dump(include={"drop_from", "drop_until", "pick_from"}, exclude_none=True)
    if times:
        require_step(BookingStep.UPDATE, row.status)
        # Otherwise moving a booking before cancelling it would avoid the cancellation fee.
        if is_customer(call) and refund_now(call, row, await get_terms(call)) < _paid(row):
            raise refused(BookingStep.UPDATE, BookingStatus(row.status))
        values |= _times(call, row, times)
    if request.destination is not None:
        values |= await _redirect(call, row, bags, request.destination)
    if values:
        await store.update_booking(call.work, row.id, values)
    changed = await announce(call, row.id, tracked=False)
    if times:
        await watch(call, changed)
    return changed


def _paid(row: LuggageRow) -> int:
    return row.price_minor - row.refunded_minor if row.paid_at is not None else 0


async def _redirect(call: Call, row: LuggageRow, bags: Sequence[LuggageBagRow], place: LuggagePlace) -> dict[str, Any]:
    require_step(BookingStep.REDIRECT, row.status)
    if is_customer(call) and row.paid_at is not None:
        raise refused(BookingStep.REDIRECT, BookingStatus(row.status))
    moved: dict[str, Any] = {"destination": await describe_place(call, place), "to_site_id": place.site_id}
    if row.paid_at is None:
        sizes = [{"size": bag.size} for bag in bags]
        wish = {"service_code": row.service_code, "values": row.form_values, "bags": sizes, "origin": row.origin}
        priced = await price_wish(call, LuggageWish.model_validate({**wish, "destination": place}))
        moved |= price_values(priced.price)
    for bag in bags:
        await free_box(call, bag.pick_parcel_id)
    return moved


def _times(call: Call, row: LuggageRow, times: dict[str, Any]) -> dict[str, Any]:
    drop_from, drop_until = times.get("drop_from", row.drop_from), times.get("drop_until", row.drop_until)
    if not drop_from < drop_until <= times.get("pick_from", row.pick_from) or drop_until <= call.now:
        raise INVALID_REQUEST.for_fields(FieldError(next(iter(times)), "field.luggage_times"))
    return times


async def assign_driver(call: Call, row: LuggageRow, driver_id: int | None) -> LuggageRow:
    """Assign a driver, or unassign with None.

    Raises `LUGGAGE_STEP_REFUSED`, or `NOT_FOUND` for no enabled driver.
    """
    require_step(BookingStep.ASSIGN, row.status)
    if driver_id is not None:
        driver = await get_driver_row(call, driver_id)
        if driver is None:
            raise await driver_not_found(call, driver_id)
        if not driver.active:
            raise record_not_found(driver_id=driver_id)
    await store.update_booking(call.work, row.id, {"driver_id": driver_id})
    return await announce(call, row.id, tracked=False)


async def pay_luggage(call: Call, row: LuggageRow) -> LuggageRow:
    """Charge the full price to the customer's wallet, once.

    A job follows up with compartments and codes. Raises `LUGGAGE_STEP_REFUSED`, `CREDIT_INSUFFICIENT`.
    """
    if not is_payable(call, row):
        raise refused(BookingStep.PAY, BookingStatus(row.status))
    values: dict[str, Any] = {"paid_at": call.now, "sold_on": call.today}
    if row.price_minor:
        subject = MoneySubject(MONEY_KIND, row.id, FAMILY)
        money = Money(row.price_minor, row.currency)
        posted = await charge(call, row.customer_id, money, key=f"{MONEY_KIND}:{row.id}:payment", subject=subject)
        values["transfer_id"] = posted.transfer_id
    await store.update_booking(call.work, row.id, values)
    paid = await announce(call, row.id)
    await watch(call, paid)
    return paid


def is_payable(call: Call, row: LuggageRow) -> bool:
    """Return True if a booking awaits payment."""
    return can(BookingStep.PAY, row.status) and row.paid_at is None and call.now < min(row.pay_until, row.drop_until)


async def watch(call: Call, row: LuggageRow) -> None:
    """Schedule the jobs that reserve compartments, send codes and end periods."""
    if row.paid_at is not None:
        await call.enqueue(BOXES_JOB, DueLuggage(row.id), run_at=max(call.now, row.drop_from - BOX_LEAD))
        await call.enqueue(DUE_JOB, DueLuggage(row.id), run_at=row.drop_until)
        await call.enqueue(DUE_JOB, DueLuggage(row.id), run_at=row.pick_from)


def refund_now(call: Call, row: LuggageRow, terms: LuggageTerms) -> int:
    """Return the refund for a cancellation now, in minor units."""
    if row.paid_at is None or not can(BookingStep.CANCEL, row.status):
        return 0
    share = refund_share(row.price_minor, refund_percent(terms, row.drop_from, call.now))
    return min(share, row.price_minor - row.refunded_minor)


async def cancel_luggage(
    call: Call, row: LuggageRow, bags: Sequence[LuggageBagRow], reason: LuggageEnd, *, give_back_minor: int
) -> LuggageRow:
    """Cancel a booking before drop-off: release compartments and refund.

    Raises `LUGGAGE_STEP_REFUSED`, also while a door may be open.
    """
    require_step(BookingStep.CANCEL, row.status)
    for bag in bags:
        if bag.drop_parcel_id and await find_door_under_way(call, bag.drop_parcel_id):
            raise refused(BookingStep.CANCEL, BookingStatus(row.status))
        await free_box(call, bag.drop_parcel_id)
        await store.update_bag(call.work, bag.id, {"status": BagStatus.ABSENT.value, "ended_at": call.now})
    await give_back(call, row, give_back_minor, key="cancel")
    ended = {"status": BookingStatus.CANCELLED.value, "end_reason": reason.value, "ended_at": call.now}
    await store.update_booking(call.work, row.id, {**ended, "pin_sha256": None})
    await call.enqueue(LETTER_JOB, LuggageLetter(row.id, CANCELLED))
    return await announce(call, row.id)


async def free_box(call: Call, parcel_id: int | None) -> None:
    """Release an empty compartment."""
    if parcel_id is not None:
        parcel = await get_parcel(call, parcel_id)
        if parcel.status == LockerStatus.RESERVED:
            await take_step(call, parcel, LockerStep.CANCEL)


async def give_back(call: Call, row: LuggageRow, minor: int, *, key: str) -> int:
    """Refund a part of the price, once per key. Returns the amount.

    At most the amount that refunds and credit notes left is refunded.
    """
    minor = min(minor, row.price_minor - row.refunded_minor)
    if not minor or row.transfer_id is None:
        return 0
    minor = await give_charge_back(
        call, row.transfer_id, Money(minor, row.currency), key=f"{MONEY_KIND}:{row.id}:{key}"
    )
    if not minor:
        return 0
    await store.update_booking(call.work, row.id, {"refunded_minor": row.refunded_minor + minor})
    await call.publish(PaymentReturned(purpose=PURPOSE, subject_id=row.id, amount_minor=minor, occasion=key))
    return minor


async def announce(call: Call, booking_id: int, *, tracked: bool = True) -> LuggageRow:
    """Publish a change of a booking to listeners and its timeline.

    Returns the current row.
    """
    row = await LuggageRow.get(call.work, booking_id)
    assert row is not None
    call.add_audit_subjects("luggage_booking", row.id)
    await call.publish(LuggageChanged(luggage_id=row.id, customer_id=row.customer_id, status=row.status))
    if tracked:
        await _track(call, row)
    return row


async def _track(call: Call, row: LuggageRow) -> None:
    code, profile = TRACKED[BookingStatus(row.status)]
    handed_out = row.status in (BookingStatus.AT_DESTINATION, BookingStatus.OVERDUE, BookingStatus.COLLECTED)
    place = row.destination if handed_out else row.origin
    known = {name: place[name] for name in ("city", "country") if place.get(name)}
    if place["site_id"] is not None:
        known |= {name: place[name] for name in ("name", "lat", "lng")}
    event = NewEvent(
        tracking_number=row.tracking_number,
        status_code=code,
        occurred_at=call.now,
        location=Location(**known) if known else None,
        profile=profile,
    )
    write = begin_timelines if row.status == BookingStatus.BOOKED else record_events
    await write(call, [event])
