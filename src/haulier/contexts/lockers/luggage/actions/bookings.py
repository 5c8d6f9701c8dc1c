"""Writes of luggage bookings for other families: bookings."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct, convert

from haulier.contexts.billing.events import PaymentReturned
from haulier.contexts.billing.public import (
    ChargeDetails,
    MoneySubject,
    PriceLine,
    Service,
    ServiceKind,
    ServiceMeasures,
    ServicePrice,
    charge,
    check_service_values,
    find_offered_service,
    mark_service_used,
    price_service,
)
from haulier.contexts.billing.public import refund_remaining as give_charge_back
from haulier.contexts.fleet.public import driver_not_found, get_driver_row
from haulier.contexts.identity.public import is_customer, require_client, resolve_customer
from haulier.contexts.lockers.events import LuggageChanged
from haulier.contexts.lockers.luggage import store
from haulier.contexts.lockers.luggage.contract import (
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
    VOLUMES_CM3,
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
from haulier.contexts.lockers.luggage.store import LuggageBagRow, LuggageRow
from haulier.contexts.lockers.parcels.actions.codes import find_pending_door
from haulier.contexts.lockers.parcels.actions.steps import apply_step, find_or_issue_code, issue_code
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import LockerStatus, LockerStep
from haulier.contexts.lockers.sites.queries import count_free_boxes, get_site
from haulier.contexts.lockers.sites.rules import rank_of
from haulier.contexts.tracking.public import Location, NewEvent, begin_timelines, record_events
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found
from haulier.kernel.values.geography import great_circle_m
from haulier.kernel.values.ids import make_tracking_number
from haulier.kernel.values.money import Money


class BoxCode(Struct, frozen=True, kw_only=True):
    """One-time code for the compartment of a bag."""

    tag: str
    cabinet: str
    box: int
    code: str


async def list_codes(call: Call, bags: Sequence[LuggageBagRow], *, renew: bool = False) -> list[BoxCode]:
    """Return codes of compartments a traveller can open; `renew` replaces them."""
    made: list[BoxCode] = []
    for bag in bags:
        coming = bag.status == BagStatus.EXPECTED
        parcel_id = bag.drop_parcel_id if coming else bag.pick_parcel_id
        wanted = LockerStatus.RESERVED if coming else LockerStatus.DEPOSITED
        parcel = await get_parcel(call, parcel_id) if parcel_id else None
        if parcel is not None and parcel.status == wanted:
            code = await (issue_code if renew else find_or_issue_code)(call, parcel)
            made.append(BoxCode(tag=bag.tag, cabinet=parcel.cabinet, box=parcel.box, code=code))
    return made


def needs_pin(row: LuggageRow, bags: Sequence[LuggageBagRow]) -> bool:
    """Return True if bags are handed over in person, which requires a PIN."""
    if any(bag.status == BagStatus.EXPECTED for bag in bags) and row.from_site_id is None:
        return True
    return any(bag.status == BagStatus.UNLOADED and bag.pick_parcel_id is None for bag in bags)


class PricedLuggage(Struct, frozen=True, kw_only=True):
    """A requested relay with its places and current price."""

    service: Service
    values: dict[str, Any]
    origin: dict[str, Any]
    destination: dict[str, Any]
    price: ServicePrice


async def quote_luggage_request(call: Call, wish: LuggageWish) -> PricedLuggage:
    """Quote a relay.

    Raises `NOT_FOUND`, `INVALID_REQUEST`, `SERVICE_OUT_OF_AREA`, `SERVICE_PRICE_OUT_OF_RANGE`.
    """
    service = await find_offered_service(call, wish.service_code, [ServiceKind.LUGGAGE])
    values = check_service_values(service, wish.values)
    origin = await describe_place(call, wish.origin)
    destination = await describe_place(call, wish.destination)
    measures = ServiceMeasures(
        pieces=len(wish.bags),
        volume_cm3=sum(VOLUMES_CM3[bag.size] for bag in wish.bags),
        distance_m=_distance_m(origin, destination) if service.pricing.per_km_minor else 0,
        country=destination["country"],
        postal_code=destination["postal_code"],
    )
    price = price_service(service, values, measures)
    return PricedLuggage(service=service, values=values, origin=origin, destination=destination, price=price)


async def describe_place(call: Call, place: LuggagePlace) -> dict[str, Any]:
    """Return a place as stored with a booking, for lockers from their site.

    Raises `NOT_FOUND`.
    """
    described = place.model_dump(mode="json")
    if place.country is None:
        described["country"] = (await require_client(call.work, call.client_id)).country
    if place.site_id is not None:
        site = await get_site(call, place.site_id)
        described |= {"name": site.name, "address": site.address, "lat": site.lat, "lng": site.lng}
    return described


def _distance_m(origin: dict[str, Any], destination: dict[str, Any]) -> int:
    """Return the distance as the crow flies.

    Raises `INVALID_REQUEST` at a place without coordinates.
    """
    for name, place in (("origin", origin), ("destination", destination)):
        if place["lat"] is None or place["lng"] is None:
            raise INVALID_REQUEST.for_fields(FieldError(f"{name}.lat", "field.missing"))
    return round(great_circle_m((origin["lat"], origin["lng"]), (destination["lat"], destination["lng"])))


async def has_capacity(call: Call, wish: LuggageWish) -> bool | None:
    """Return True if each bag fits a free compartment now, all at once.

    None if the origin is not a locker.
    """
    if wish.origin.site_id is None:
        return None
    free = await count_free_boxes(call, wish.origin.site_id)
    wanted = [rank_of(bag.size) for bag in wish.bags]
    return all(
        sum(each >= rank for each in wanted) <= sum(each.free for each in free if rank_of(each.size) >= rank)
        for rank in wanted
    )


def price_values(price: ServicePrice) -> dict[str, Any]:
    """Return the columns of a price."""
    lines = [
        {"code": line.code, "name": line.name, "minor": line.minor, "rate_bp": line.rate_bp} for line in price.lines
    ]
    return {"price_minor": price.total_minor, "currency": price.currency, "price_lines": lines}


BOXES_JOB, DUE_JOB, EMAIL_JOB = "luggage.boxes", "luggage.due", "luggage.letter"
DROP, ARRIVED, OVERDUE, CANCELLED, CLAIM = "drop", "arrived", "overdue", "cancelled", "claim"


class DueLuggage(Struct, frozen=True):
    """Job for a booking with a due reservation or deadline."""

    booking_id: int


class LuggageEmail(Struct, frozen=True):
    """Email to a traveller: `drop`, `arrived`, `overdue`, `cancelled` or `claim`."""

    booking_id: int
    occasion: str
    claim_id: int | None = None


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
    customer_id = await resolve_customer(call, request.customer_id)
    if request.drop_until <= call.now:
        raise INVALID_REQUEST.for_fields(FieldError("drop_until", "field.until_over"))
    priced, terms = await quote_luggage_request(call, request), await get_terms(call)
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
    return await publish_booking_changed(call, booking_id, tracked=False)


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
    changed = await publish_booking_changed(call, row.id, tracked=False)
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
        priced = await quote_luggage_request(call, LuggageWish.model_validate({**wish, "destination": place}))
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
    return await publish_booking_changed(call, row.id, tracked=False)


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
        posted = await charge(
            call,
            row.customer_id,
            money,
            key=f"{MONEY_KIND}:{row.id}:payment",
            subject=subject,
            line=await _charge_line(call, row),
        )
        values["transfer_id"] = posted.transfer_id
    await store.update_booking(call.work, row.id, values)
    paid = await publish_booking_changed(call, row.id)
    await watch(call, paid)
    return paid


async def _charge_line(call: Call, row: LuggageRow) -> ChargeDetails:
    service = await find_offered_service(call, row.service_code, {ServiceKind.LUGGAGE}, quoted=True)
    return ChargeDetails(
        item=service.name,
        reference=row.travel_reference or row.tracking_number,
        recipient=row.traveller_name,
        serviced_on=call.local_time(row.drop_from).date(),
        taxes=ServicePrice(row.currency, tuple(convert(row.price_lines, list[PriceLine]))).taxes,
    )


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
        if bag.drop_parcel_id and await find_pending_door(call, bag.drop_parcel_id):
            raise refused(BookingStep.CANCEL, BookingStatus(row.status))
        await free_box(call, bag.drop_parcel_id)
        await store.update_bag(call.work, bag.id, {"status": BagStatus.ABSENT.value, "ended_at": call.now})
    await refund_booking(call, row, give_back_minor, key="cancel")
    ended = {"status": BookingStatus.CANCELLED.value, "end_reason": reason.value, "ended_at": call.now}
    await store.update_booking(call.work, row.id, {**ended, "pin_sha256": None})
    await call.enqueue(EMAIL_JOB, LuggageEmail(row.id, CANCELLED))
    return await publish_booking_changed(call, row.id)


async def free_box(call: Call, parcel_id: int | None) -> None:
    """Release an empty compartment."""
    if parcel_id is not None:
        parcel = await get_parcel(call, parcel_id)
        if parcel.status == LockerStatus.RESERVED:
            await apply_step(call, parcel, LockerStep.CANCEL)


async def refund_booking(call: Call, row: LuggageRow, minor: int, *, key: str) -> int:
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


async def publish_booking_changed(call: Call, booking_id: int, *, tracked: bool = True) -> LuggageRow:
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
