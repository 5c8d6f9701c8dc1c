"""Writes of reservations for other families."""

from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.billing.events import PaymentReturned
from haulier.contexts.billing.public import (
    CREDIT_INSUFFICIENT,
    MoneySubject,
    charge,
    refund_remaining,
)
from haulier.contexts.booking.events import ReservationChanged, WaitingEntryChanged
from haulier.contexts.booking.reservations import store
from haulier.contexts.booking.reservations.rules import (
    BOOKABLE_ORDER_STATUSES,
    FEE_NOT_CHARGED,
    FEE_NOT_DUE,
    NO_VISIT,
    ORDER_NOT_BOOKABLE,
    ORDER_RESERVED,
    WINDOW_CUT_OFF,
    WINDOW_ELSEWHERE,
    BookingKind,
    BookingWindowState,
    NoShowFee,
    ReservationStatus,
    WaitingStatus,
    charge_of_visit,
    check_visit,
    check_window_bookable,
    current_reservation_status,
    no_show_fee_status,
)
from haulier.contexts.booking.reservations.store import (
    CODE_LENGTH,
    BookingWindowRow,
    BookingZoneRow,
    ReservationRow,
    WaitingEntryRow,
)
from haulier.contexts.orders.public import OrderFacts, get_order_facts, leave_route, set_order_charge, set_order_window
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.enums import OFFICE, Account, PriceFamily
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError, record_not_found
from haulier.kernel.values.ids import CROCKFORD_ALPHABET
from haulier.kernel.values.money import Money
from haulier.kernel.values.one_time_codes import make_public_code
from haulier.kernel.values.postal_codes import find_longest_postal_prefix

MONEY_KIND = "reservation"
FEE_KIND = "no_show_fee"
"""Payment purpose of a fee."""


async def charge_visit(call: Call, row: ReservationRow, price_minor: int | None) -> None:
    """Charge the price of a visit to the customer's credit.

    Raises `CREDIT_INSUFFICIENT`.
    """
    if price_minor and row.customer_id is not None:
        # The key names the previous charge, so that a customer who returns to a window pays it again.
        transfer_id = await _charge(call, row, row.customer_id, price_minor, f"price:{row.charge_transfer_id or 0}")
        await ReservationRow.update(
            call.work, row.id, {"charged_minor": price_minor, "charge_transfer_id": transfer_id}
        )


async def refund_price(call: Call, row: ReservationRow) -> None:
    """Refund the price of a visit, once."""
    if row.charged_minor and row.charge_transfer_id is not None:
        await refund_remaining(call, row.charge_transfer_id, key=f"reservation:{row.id}:back:{row.charge_transfer_id}")
        await ReservationRow.update(call.work, row.id, {"charged_minor": 0})


async def charge_no_show(call: Call, row: ReservationRow, zone: BookingZoneRow) -> None:
    """Charge a missed visit: the fee, and the price unless the place refunds it.

    If there is not enough credit, the fee stays due. A visit can be missed at any balance.
    """
    if zone.no_show_refund:
        await refund_price(call, row)
    fee = zone.no_show_fee_minor
    if not fee or row.customer_id is None:
        return
    await ReservationRow.update(call.work, row.id, {"fee_minor": fee})
    try:
        await _charge_fee(call, row, row.customer_id, fee)
    except OperationError as fault:
        if fault.error_type is not CREDIT_INSUFFICIENT:
            raise


async def pay_fee(call: Call, row: ReservationRow) -> None:
    """Charge a due fee to the customer's credit. The row must be locked.

    Raises `FEE_NOT_DUE`, `CREDIT_INSUFFICIENT`.
    """
    due = due_fee(row)
    if not due or row.customer_id is None:
        raise FEE_NOT_DUE()
    await _charge_fee(call, row, row.customer_id, due)


async def waive_fee(call: Call, row: ReservationRow, reason: str) -> None:
    """Waive a fee and refund its payment. Repeated calls change nothing.

    The row must be locked. Raises `FEE_NOT_CHARGED`.
    """
    fate = no_show_fee_status(row.fee_minor, row.fee_transfer_id, row.fee_waived_at)
    if fate is None:
        raise FEE_NOT_CHARGED()
    if fate is not NoShowFee.WAIVED:
        await _return_fee(call, row)
        await ReservationRow.update(call.work, row.id, {"fee_waived_at": call.now, "fee_waiver_reason": reason})


async def refund_fee(call: Call, row: ReservationRow) -> None:
    """Refund the fee of a visitor who was marked as missing and arrived late."""
    await _return_fee(call, row)
    await ReservationRow.update(call.work, row.id, {"fee_minor": None})


def due_fee(row: ReservationRow) -> int:
    """Return the amount due of a no-show fee in minor units, or 0."""
    fate = no_show_fee_status(row.fee_minor, row.fee_transfer_id, row.fee_waived_at)
    return row.fee_minor or 0 if fate is NoShowFee.DUE else 0


async def _return_fee(call: Call, row: ReservationRow) -> None:
    fate = no_show_fee_status(row.fee_minor, row.fee_transfer_id, row.fee_waived_at)
    if fate is not NoShowFee.PAID or row.fee_transfer_id is None:
        return
    occasion = f"back:{row.fee_transfer_id}"
    await refund_remaining(call, row.fee_transfer_id, key=f"reservation:{row.id}:{occasion}")
    amount = row.fee_minor or 0
    await call.publish(PaymentReturned(purpose=FEE_KIND, subject_id=row.id, amount_minor=amount, occasion=occasion))


async def _charge_fee(call: Call, row: ReservationRow, customer_id: int, minor: int) -> None:
    transfer_id = await _charge(call, row, customer_id, minor, f"fee:{row.fee_transfer_id or 0}")
    await ReservationRow.update(call.work, row.id, {"fee_transfer_id": transfer_id})


async def _charge(call: Call, row: ReservationRow, customer_id: int, minor: int, what: str) -> int:
    window = await BookingWindowRow.get(call.work, row.window_id)
    zone = window and await BookingZoneRow.get(call.work, window.zone_id)
    fee = call.translate("charged_no_show") if what.startswith("fee:") else None
    key, money = f"reservation:{row.id}:{what}", Money(minor, call.business.currency)
    subject = MoneySubject(MONEY_KIND, row.id, PriceFamily.LOCAL_DELIVERY)
    line = charge_of_visit(zone and zone.name, window and window.day, row.code, fee)
    return (await charge(call, customer_id, money, key=key, subject=subject, line=line)).transfer_id


def is_visit(zone: BookingZoneRow) -> bool:
    """Return True if the zone is a place for visits instead of deliveries."""
    return zone.kind != BookingKind.DELIVERY


async def find_delivery_zone(call: Call, postal_code: str) -> int | None:
    """Return the delivery zone with the longest matching postal code prefix, or None.

    The oldest zone wins among equals.
    """
    zones = [
        (row.id, row.postal_prefixes) for row in await store.list_all_booking_zones(call.work) if not is_visit(row)
    ]
    return find_longest_postal_prefix(postal_code, zones)


async def require_zone(call: Call, postal_code: str | None, window: BookingWindowRow) -> None:
    """Raise `WINDOW_ELSEWHERE` for a window that is not offered at a postal code.

    A missing postal code is reported as a validation error.
    """
    zone = await BookingZoneRow.get(call.work, window.zone_id)
    if zone is not None and is_visit(zone):
        return
    if postal_code is None:
        raise INVALID_REQUEST.for_fields(FieldError("postal_code", "field.missing"))
    if await find_delivery_zone(call, postal_code) != window.zone_id:
        raise WINDOW_ELSEWHERE()


async def require_free_place(call: Call, window: BookingWindowRow) -> None:
    """Raise an error if no place in the window can be taken now.

    Raises `WINDOW_CLOSED`, `WINDOW_CUT_OFF` or `WINDOW_FULL`. Free places belong to the waiting list first. Staff
    can accept visitors without a reservation until the window ends.
    """
    late = call.principal.account in OFFICE and call.now < window.ends_at
    zone = await BookingZoneRow.get(call.work, window.zone_id) if late and call.now >= window.cut_off_at else None
    until = window.ends_at if zone is not None and is_visit(zone) else window.cut_off_at
    state = BookingWindowState(
        capacity=window.capacity,
        taken=(await store.count_taken_places(call.work, [window.id], call.now)).get(window.id, 0),
        waiting=(await store.count_waiting(call.work, [window.id])).get(window.id, 0)
        if until == window.cut_off_at
        else 0,
        cut_off_at=until,
        closed=bool(window.closed),
    )
    if error := check_window_bookable(state, call.now):
        raise error


EXPIRE_HOLD_JOB = "reservation.expire"
NO_SHOW_JOB = "reservation.no_show"
CLOSE_WAITING_JOB = "waiting_entry.close"
EMAIL_JOB = "reservation.letter"
OFFERED, LAPSED, CLOSED = "offered", "lapsed", "closed"
BOOKED, MISSED = "booked", "missed"


class ExpireHold(Struct, frozen=True, kw_only=True):
    """Hold that expires."""

    reservation_id: int


class MissedVisit(Struct, frozen=True, kw_only=True):
    """Visit that may have been missed."""

    reservation_id: int


class CloseWaiting(Struct, frozen=True, kw_only=True):
    """Window whose waiting list closes."""

    window_id: int


class ReservationEmail(Struct, frozen=True, kw_only=True):
    """Email about a visit or a waiting list.

    Occasions: `booked` and `missed` for visits; `offered`, `lapsed` and `closed` for waiting lists.
    """

    subject_id: int
    occasion: str


async def schedule_hold_expiry(call: Call, reservation_id: int, at: datetime) -> None:
    """Schedule the job that marks a hold as expired.

    From `at` on it takes no place, marked or not.
    """
    await call.enqueue(EXPIRE_HOLD_JOB, ExpireHold(reservation_id=reservation_id), run_at=at)


async def schedule_no_show(call: Call, reservation_id: int, at: datetime) -> None:
    """Schedule the job that marks a visit as missed unless it is checked in."""
    await call.enqueue(NO_SHOW_JOB, MissedVisit(reservation_id=reservation_id), run_at=at)


async def schedule_close_of_waiting(call: Call, window_id: int, at: datetime) -> None:
    """Schedule the job that closes the waiting list of a window."""
    await call.enqueue(CLOSE_WAITING_JOB, CloseWaiting(window_id=window_id), run_at=at)


async def enqueue_email(call: Call, subject_id: int, occasion: str) -> None:
    """Enqueue an email to send after the commit."""
    await call.enqueue(EMAIL_JOB, ReservationEmail(subject_id=subject_id, occasion=occasion))


async def publish_reservation(call: Call, row: ReservationRow, status: ReservationStatus) -> None:
    """Publish the status of a reservation."""
    await call.publish(
        ReservationChanged(
            reservation_id=row.id,
            window_id=row.window_id,
            status=status.value,
            customer_id=row.customer_id,
            order_id=row.order_id,
        )
    )


async def set_entry_status(call: Call, entry: WaitingEntryRow, status: WaitingStatus) -> None:
    """End a waiting list entry as accepted, lapsed, withdrawn or closed."""
    await WaitingEntryRow.update(call.work, entry.id, {"status": status.value, "ended_at": call.now})
    await _publish_entry(call, entry, status, entry.reservation_id)


async def close_offer(call: Call, reservation_id: int, status: WaitingStatus) -> WaitingEntryRow | None:
    """End the offer of a held place as accepted, lapsed or declined.

    Return None if the place was not offered.
    """
    entry = await store.get_offered_entry(call.work, reservation_id)
    if entry is not None:
        await set_entry_status(call, entry, status)
    return entry


async def offer_free_places(call: Call, window_id: int) -> None:
    """Offer free places in a window to the longest waiting entries.

    The window is locked, so that a place is offered once. Repeated calls offer nothing twice.
    """
    window = (await BookingWindowRow.lock_many(call.work, [window_id])).get(window_id)
    if window is None or window.closed or call.now >= window.cut_off_at:
        return
    taken = (await store.count_taken_places(call.work, [window.id], call.now)).get(window.id, 0)
    if taken >= window.capacity:
        return
    entries = await store.lock_next_waiting(call.work, window.id, window.capacity - taken)
    zone = await BookingZoneRow.get(call.work, window.zone_id) if entries else None
    for entry in entries:
        await _offer(call, entry, window, zone.offer_min if zone else 0)


async def _offer(call: Call, entry: WaitingEntryRow, window: BookingWindowRow, minutes: int) -> None:
    """Hold a place for a waiting entry, at most until the window's cut-off."""
    until = min(call.now + timedelta(minutes=minutes), window.cut_off_at)
    reservation_id = await ReservationRow.insert(
        call.work,
        window_id=window.id,
        postal_code=entry.postal_code,
        customer_id=entry.customer_id,
        held_at=call.now,
        expires_at=until,
    )
    await schedule_hold_expiry(call, reservation_id, until)
    offered = {"status": WaitingStatus.OFFERED.value, "reservation_id": reservation_id, "offered_until": until}
    await WaitingEntryRow.update(call.work, entry.id, offered)
    await _publish_entry(call, entry, WaitingStatus.OFFERED, reservation_id)
    await enqueue_email(call, entry.id, OFFERED)


async def publish_waiting(call: Call, entry: WaitingEntryRow) -> None:
    """Publish the status of a waiting list entry."""
    await _publish_entry(call, entry, WaitingStatus(entry.status), None)


async def _publish_entry(call: Call, entry: WaitingEntryRow, status: WaitingStatus, reservation_id: int | None) -> None:
    await call.publish(
        WaitingEntryChanged(
            waiting_entry_id=entry.id,
            window_id=entry.window_id,
            customer_id=entry.customer_id,
            status=status.value,
            reservation_id=reservation_id,
        )
    )


async def cancel_place(call: Call, row: ReservationRow, reason: str | None) -> None:
    """Cancel a place. Refund the price of a visit and decline a pending offer."""
    ended = {"outcome": ReservationStatus.CANCELLED.value, "ended_at": call.now, "reason": reason}
    await ReservationRow.update(call.work, row.id, ended)
    await refund_price(call, row)
    await close_offer(call, row.id, WaitingStatus.WITHDRAWN)
    await publish_reservation(call, row, ReservationStatus.CANCELLED)
    await offer_free_places(call, row.window_id)


WINDOW_CHARGE = "window"
"""Price line of an order for its window."""
MOST_OF_A_DAY = 1000
"""Maximum number of windows examined per zone and day. There are a few dozen."""
ORDER_MOVED = "order_moved"
"""Cancellation reason for an order that staff moved to a time without an available window."""


async def get_bookable_order(call: Call, order_id: int, *, reserved: int | None = None) -> OrderFacts:
    """Lock and return an order whose window can be set.

    `reserved` is the id of its current reservation. For staff, a planned order leaves its route, like an order that
    is put on hold.

    Raises `NOT_FOUND` for an order that the caller may not see, `ORDER_NOT_BOOKABLE` for one that is planned, in
    transit or over, and `ORDER_RESERVED` for one with another reservation.
    """
    if call.principal.account in OFFICE:
        await leave_route(call, order_id)
    order = (await get_order_facts(call, [order_id], lock=True)).get(order_id)
    if order is None or (call.principal.account is Account.CUSTOMER and order.customer_id != call.actor):
        raise record_not_found(order_id=order_id)
    if order.status.name not in BOOKABLE_ORDER_STATUSES:
        raise ORDER_NOT_BOOKABLE(status=order.status.name)
    reservation = await store.get_reservation_of_order(call.work, order_id)
    if reservation is not None and reservation.id != reserved:
        raise ORDER_RESERVED()
    return order


async def get_visiting_order(call: Call, order_id: int) -> OrderFacts:
    """Lock and return the order of a visit. It may be in transit.

    Raises `NOT_FOUND` for an order that the caller may not see, and `ORDER_RESERVED` for one with a reservation.
    """
    order = (await get_order_facts(call, [order_id], lock=True)).get(order_id)
    if order is None or (call.principal.account is Account.CUSTOMER and order.customer_id != call.actor):
        raise record_not_found(order_id=order_id)
    if await store.get_reservation_of_order(call.work, order_id) is not None:
        raise ORDER_RESERVED()
    return order


async def promise_order_window(call: Call, order: OrderFacts, window: BookingWindowRow) -> None:
    """Set the delivery window of an order and charge its price."""
    await set_order_charge(call, order.id, WINDOW_CHARGE, window.price_minor)
    await set_order_window(call, [order.id], window.starts_at, window.ends_at, window.day)


async def clear_promised_window(call: Call, order_id: int) -> None:
    """Remove the delivery window of an order and its charge.

    The day stays. A planned order keeps both.
    """
    order = (await get_order_facts(call, [order_id], lock=True)).get(order_id)
    if order is not None and order.status.name in BOOKABLE_ORDER_STATUSES:
        await set_order_charge(call, order_id, WINDOW_CHARGE, None)
        await set_order_window(call, [order_id], None, None, order.scheduled_date)


async def sync_reservation_with_order(call: Call, order_id: int) -> None:
    """Move the reservation of an order to the order's new time.

    The reservation moves to the zone's window at that time if it has capacity. Otherwise it ends and the order is no
    longer charged for a window. Repeated calls change nothing.
    """
    order = (await get_order_facts(call, [order_id], lock=True)).get(order_id)
    row = await store.get_reservation_of_order(call.work, order_id)
    if order is None or row is None or row.confirmed_at is None:
        return
    window = (await BookingWindowRow.lock_many(call.work, [row.window_id]))[row.window_id]
    zone = await BookingZoneRow.get(call.work, window.zone_id)
    if zone is not None and is_visit(zone):  # a visit's time does not depend on its order's delivery
        return
    if (order.window_start, order.window_end) == (window.starts_at, window.ends_at):
        return
    found = await _find_window_of(call, order, window.zone_id)
    if found is not None and await _has_room(call, found.id):
        await ReservationRow.update(call.work, row.id, {"window_id": found.id})
        await set_order_charge(call, order.id, WINDOW_CHARGE, found.price_minor)
        await offer_free_places(call, window.id)
    else:
        await cancel_place(call, row, ORDER_MOVED)
        await set_order_charge(call, order.id, WINDOW_CHARGE, None)
    call.add_audit_subjects("reservation", row.id)


async def _find_window_of(call: Call, order: OrderFacts, zone_id: int) -> BookingWindowRow | None:
    """Return the window of a zone at the order's time, or None."""
    if order.window_start is None:
        return None
    day = call.local_time(order.window_start).date()
    rows, _ = await store.list_booking_windows(call.work, (day, day), [zone_id], limit=MOST_OF_A_DAY, offset=0)
    promised = (order.window_start, order.window_end)
    return next((row for row in rows if (row.starts_at, row.ends_at) == promised), None)


async def _has_room(call: Call, window_id: int) -> bool:
    window = (await BookingWindowRow.lock_many(call.work, [window_id]))[window_id]
    taken = (await store.count_taken_places(call.work, [window_id], call.now)).get(window_id, 0)
    waits = (await store.count_waiting(call.work, [window_id])).get(window_id, 0)
    return not window.closed and taken + waits < window.capacity


async def book_order_window(call: Call, order_id: int, window_id: int) -> None:
    """Reserve a window for an order, replacing an earlier one.

    The caller checks access to the order. Raises `NOT_FOUND` for an unknown window, or for one with a price, since
    the payer was not asked. Raises `ORDER_NOT_BOOKABLE`, `WINDOW_CLOSED`, `WINDOW_CUT_OFF`, `WINDOW_FULL` or
    `WINDOW_ELSEWHERE`.
    """
    reservation = await store.get_reservation_of_order(call.work, order_id)
    ids = [window_id, *([reservation.window_id] if reservation else [])]
    windows = await BookingWindowRow.lock_many(call.work, ids)
    window = windows.get(window_id)
    if window is None or window.price_minor:
        raise record_not_found(window_id=window_id)
    order = await get_bookable_order(call, order_id, reserved=reservation and reservation.id)
    if reservation and reservation.window_id == window_id:
        return
    if reservation and call.now >= windows[reservation.window_id].cut_off_at:
        raise WINDOW_CUT_OFF()
    await require_zone(call, order.postal_code or "", window)
    await require_free_place(call, window)
    if reservation:
        await ReservationRow.update(call.work, reservation.id, {"window_id": window.id})
    else:
        await ReservationRow.insert(
            call.work,
            window_id=window.id,
            postal_code=order.postal_code or "",
            customer_id=order.customer_id,
            order_id=order.id,
            held_at=call.now,
            expires_at=call.now,
            confirmed_at=call.now,
        )
    await promise_order_window(call, order, window)
    if reservation:
        await offer_free_places(call, reservation.window_id)


TRIES = 5
"""Attempts to draw an unused code out of a thousand million."""


def no_show_at(window: BookingWindowRow, zone: BookingZoneRow) -> datetime:
    """Return the time at which an unattended visit counts as missed."""
    return min(window.starts_at + timedelta(minutes=zone.grace_min), window.ends_at)


def check_in_from(window: BookingWindowRow, zone: BookingZoneRow) -> datetime:
    """Return the time at which check-in opens."""
    return window.starts_at - timedelta(minutes=zone.check_in_before_min)


async def book_visit(call: Call, row: ReservationRow, window: BookingWindowRow, zone: BookingZoneRow) -> None:
    """Confirm a visit or move it to a window, with payment, code and no-show job.

    Raises `CREDIT_INSUFFICIENT`.
    """
    await charge_visit(call, row, window.price_minor)
    if row.code is None:
        await _assign_code(call, row.id)
    await schedule_no_show(call, row.id, no_show_at(window, zone))
    if row.customer_id is not None:
        await enqueue_email(call, row.id, BOOKED)


async def _assign_code(call: Call, reservation_id: int) -> None:
    for left in reversed(range(TRIES)):
        code = make_public_code(CROCKFORD_ALPHABET, CODE_LENGTH)
        try:
            async with call.savepoint():
                await ReservationRow.update(call.work, reservation_id, {"code": code})
                return
        except UniqueConflict:
            if not left:
                raise


async def check_in(call: Call, reservation_id: int) -> None:
    """Check in a visit. Repeated calls change nothing.

    Customers can check in until the grace period ends. Staff can do so until the window ends, also for a missed
    visit: it gets a place again if one is available, and the fee is refunded.

    Raises `NO_VISIT`, `NOT_CONFIRMED`, `CHECK_IN_CLOSED`, `HOLD_EXPIRED`, `RESERVATION_OVER` or `WINDOW_FULL`.
    """
    row = await ReservationRow.lock(call.work, reservation_id)
    if row is None:
        raise record_not_found(reservation_id=reservation_id)
    window = (await BookingWindowRow.lock_many(call.work, [row.window_id]))[row.window_id]
    zone = await BookingZoneRow.get(call.work, window.zone_id)
    if zone is None or not is_visit(zone):
        raise NO_VISIT()
    status = status_of(row, call.now)
    if status is ReservationStatus.CHECKED_IN:
        return
    late = call.principal.account in OFFICE
    closes_at = window.ends_at if late else no_show_at(window, zone)
    if error := check_visit(status, check_in_from(window, zone), closes_at, call.now, late=late):
        raise error
    if status is ReservationStatus.NO_SHOW:
        await require_free_place(call, window)
        await refund_fee(call, row)
    came = {"checked_in_at": call.now, "checked_in_by": call.actor, "outcome": None, "ended_at": None}
    await ReservationRow.update(call.work, row.id, came)
    await publish_reservation(call, row, ReservationStatus.CHECKED_IN)


def status_of(row: ReservationRow, now: datetime) -> ReservationStatus:
    """Return the status of a reservation at `now`."""
    confirmed, checked_in = row.confirmed_at is not None, row.checked_in_at is not None
    return current_reservation_status(confirmed, row.outcome, row.expires_at, now, checked_in=checked_in)


async def mark_missed(call: Call, reservation_id: int) -> None:
    """Mark a confirmed visit as missed after its grace period.

    The place becomes available and the fee is charged. Nothing changes for repeated calls, or for a visit that was
    checked in, cancelled or moved to a later time.
    """
    row = await ReservationRow.lock(call.work, reservation_id)
    if row is None or status_of(row, call.now) is not ReservationStatus.CONFIRMED:
        return
    window = (await BookingWindowRow.lock_many(call.work, [row.window_id]))[row.window_id]
    zone = await BookingZoneRow.get(call.work, window.zone_id)
    if zone is None or not is_visit(zone) or call.now < no_show_at(window, zone):
        return
    ended = {"outcome": ReservationStatus.NO_SHOW.value, "ended_at": no_show_at(window, zone)}
    await ReservationRow.update(call.work, row.id, ended)
    await charge_no_show(call, row, zone)
    await publish_reservation(call, row, ReservationStatus.NO_SHOW)
    if row.customer_id is not None:
        await enqueue_email(call, row.id, MISSED)
    await offer_free_places(call, window.id)
