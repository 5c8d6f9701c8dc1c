"""Operations to hold, confirm, reschedule and cancel reservations."""

from datetime import timedelta

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.booking.reservations.actions.endings import cancel_place
from haulier.contexts.booking.reservations.actions.money import give_price_back
from haulier.contexts.booking.reservations.actions.order_windows import (
    clear_promised_window,
    get_bookable_order,
    get_visiting_order,
    promise_order_window,
)
from haulier.contexts.booking.reservations.actions.visits import book_visit, status_of
from haulier.contexts.booking.reservations.actions.waiting_lists import (
    offer_free_places,
    settle_offer,
    tell_reservation,
)
from haulier.contexts.booking.reservations.actions.window_places import is_visit, require_free_place, require_zone
from haulier.contexts.booking.reservations.actions.work import schedule_hold_expiry
from haulier.contexts.booking.reservations.contract.bookings import (
    CancelReservation,
    ConfirmReservation,
    HoldBookingWindow,
    ListReservations,
    RescheduleReservation,
    ReservationAnswer,
    ReservationList,
    ReservationRef,
)
from haulier.contexts.booking.reservations.queries import get_visible_reservation
from haulier.contexts.booking.reservations.rules import (
    ACTIVE_RESERVATION,
    CHECKED_IN,
    HOLD_EXPIRED,
    MAX_HOLDS_PER_CUSTOMER,
    ORDER_NOT_BOOKABLE,
    ORDER_RESERVED,
    RESERVATION_CONFIRMED,
    RESERVATION_OVER,
    TOO_MANY_HOLDS,
    WINDOW_CLOSED,
    WINDOW_CUT_OFF,
    WINDOW_ELSEWHERE,
    WINDOW_FULL,
    WaitingStatus,
    check_reservation_active,
)
from haulier.contexts.booking.reservations.serializers import serialize_reservations
from haulier.contexts.booking.reservations.store import bookings as store
from haulier.contexts.booking.reservations.store.tables import BookingWindowRow, BookingZoneRow, ReservationRow
from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.orders.public import OrderFacts
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, PRICE_HIDDEN, FieldError, record_not_found

PATH = "/v1/reservations"
RESERVATION_PATH = f"{PATH}/{{reservation_id}}"
BOOKERS = OFFICE | {Account.CUSTOMER}
WINDOW_ERRORS = (NOT_FOUND, WINDOW_CLOSED, WINDOW_CUT_OFF, WINDOW_FULL, WINDOW_ELSEWHERE)
INACTIVE_ERRORS = (HOLD_EXPIRED, RESERVATION_OVER, CHECKED_IN)


@writes(
    "hold_window",
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    errors=(*WINDOW_ERRORS, TOO_MANY_HOLDS),
    doors=(Rest("POST", PATH), GraphQL("holdWindow")),
)
async def hold_window(call: Call, request: HoldBookingWindow) -> ReservationAnswer:
    """Hold a place in a window.

    The place is released if it is not confirmed within the given minutes.
    """
    customer = await booking_customer_id(call, request.customer_id)
    window = (await BookingWindowRow.lock_many(call.work, [request.window_id])).get(request.window_id)
    if window is None:
        raise record_not_found(window_id=request.window_id)
    await require_zone(call, request.postal_code, window)
    await require_free_place(call, window)
    if (
        call.principal.account is Account.CUSTOMER
        and await store.count_holds_of_customer(call.work, customer or 0, call.now) >= MAX_HOLDS_PER_CUSTOMER
    ):
        raise TOO_MANY_HOLDS(most=MAX_HOLDS_PER_CUSTOMER)
    expires_at = call.now + timedelta(minutes=request.minutes)
    reservation_id = await ReservationRow.insert(
        call.work,
        window_id=window.id,
        postal_code=request.postal_code or "",
        customer_id=customer,
        held_at=call.now,
        held_by=call.actor,
        expires_at=expires_at,
    )
    await schedule_hold_expiry(call, reservation_id, expires_at)
    return await reservation_answer(call, reservation_id, told=True)


@writes(
    "confirm_reservation",
    allowed_where={"status": ACTIVE_RESERVATION},
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(
        NOT_FOUND,
        *INACTIVE_ERRORS,
        WINDOW_FULL,
        WINDOW_ELSEWHERE,
        ORDER_RESERVED,
        ORDER_NOT_BOOKABLE,
        RESERVATION_CONFIRMED,
        CREDIT_INSUFFICIENT,
    ),
    doors=(Rest("POST", f"{RESERVATION_PATH}/confirm"), GraphQL("confirmReservation")),
)
async def confirm_reservation(call: Call, request: ConfirmReservation) -> ReservationAnswer:
    """Confirm a held place.

    Sets the delivery window of the order. Repeated calls with the same order change nothing. A visit needs no order.
    It is paid from the customer's credit and gets a code for check-in.
    """
    row, window, _ = await _lock_active_reservation(call, request)
    if row.confirmed_at is not None:
        if row.order_id != request.order_id:
            raise RESERVATION_CONFIRMED()
        return await reservation_answer(call, row.id)
    zone = await BookingZoneRow.get(call.work, window.zone_id)
    visit = zone if zone is not None and is_visit(zone) else None
    order = await _order_of(call, request, visit=visit is not None)
    if order is not None and order.postal_code:
        await require_zone(call, order.postal_code, window)
    others = (await store.count_taken_places(call.work, [window.id], call.now, except_id=row.id)).get(window.id, 0)
    # A call that started after the hold expired may have locked the window first and taken the place.
    if others >= window.capacity:
        raise WINDOW_FULL()
    await ReservationRow.update(call.work, row.id, {"confirmed_at": call.now, "order_id": order and order.id})
    await settle_offer(call, row.id, WaitingStatus.ACCEPTED)
    if visit is not None:
        await book_visit(call, row, window, visit)
    elif order is not None:
        await promise_order_window(call, order, window)
    return await reservation_answer(call, row.id, told=True)


async def _order_of(call: Call, request: ConfirmReservation, *, visit: bool) -> OrderFacts | None:
    """Return the order of a place. Deliveries need one; visits may have one."""
    if request.order_id is None:
        if not visit:
            raise INVALID_REQUEST.for_fields(FieldError("order_id", "field.missing"))
        return None
    return await (get_visiting_order if visit else get_bookable_order)(call, request.order_id)


@writes(
    "reschedule_reservation",
    allowed_where={"status": ACTIVE_RESERVATION},
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(*WINDOW_ERRORS, *INACTIVE_ERRORS, ORDER_NOT_BOOKABLE, CREDIT_INSUFFICIENT),
    doors=(Rest("POST", f"{RESERVATION_PATH}/reschedule"), GraphQL("rescheduleReservation")),
)
async def reschedule_reservation(call: Call, request: RescheduleReservation) -> ReservationAnswer:
    """Move a reservation to another window.

    The move is atomic: if the new window has no place, the old one stays.
    """
    row, window, new_window = await _lock_active_reservation(call, request, request.window_id)
    if new_window is None:
        raise record_not_found(window_id=request.window_id)
    if new_window.id == window.id:
        return await reservation_answer(call, row.id)
    _require_before_cut_off(call, window)
    if new_window.zone_id != window.zone_id:
        raise WINDOW_ELSEWHERE()
    await require_free_place(call, new_window)
    await ReservationRow.update(call.work, row.id, {"window_id": new_window.id})
    zone = await BookingZoneRow.get(call.work, window.zone_id)
    if zone is not None and is_visit(zone):
        if row.confirmed_at is not None:
            await give_price_back(call, row)
            await book_visit(call, row, new_window, zone)
    elif row.order_id is not None:
        await promise_order_window(call, await get_bookable_order(call, row.order_id, reserved=row.id), new_window)
    await settle_offer(call, row.id, WaitingStatus.WITHDRAWN)
    await offer_free_places(call, window.id)
    return await reservation_answer(call, row.id, told=True)


@writes(
    "cancel_reservation",
    allowed_where={"status": ACTIVE_RESERVATION},
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, *INACTIVE_ERRORS, WINDOW_CUT_OFF),
    doors=(Rest("POST", f"{RESERVATION_PATH}/cancel"), GraphQL("cancelReservation")),
)
async def cancel_reservation(call: Call, request: CancelReservation) -> ReservationAnswer:
    """Cancel a reservation.

    Its place becomes available immediately and its order loses its window. Customers can cancel until the cut-off.
    The price of a visit is refunded, and the longest waiting entry is offered the place.
    """
    row, window, _ = await _lock_active_reservation(call, request)
    if row.confirmed_at is not None:
        _require_before_cut_off(call, window)
    await cancel_place(call, row, request.reason)
    zone = await BookingZoneRow.get(call.work, window.zone_id)
    if row.order_id is not None and not (zone and is_visit(zone)):
        await clear_promised_window(call, row.order_id)
    return await reservation_answer(call, row.id)


@reads(
    "get_reservation",
    audience=BOOKERS,
    scopes={Scope.ORDERS_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", RESERVATION_PATH), GraphQL("reservation")),
)
async def get_reservation(call: Call, request: ReservationRef) -> ReservationAnswer:
    """Get a reservation.

    Customers see their own.
    """
    return await reservation_answer(call, (await get_visible_reservation(call, request.reservation_id)).id)


@reads(
    "list_reservations",
    audience=BOOKERS,
    scopes={Scope.ORDERS_READ},
    errors=(PRICE_HIDDEN,),
    doors=(Rest("GET", PATH), GraphQL("reservations")),
)
async def list_reservations(call: Call, request: ListReservations) -> ReservationList:
    """List reservations.

    Results are ordered newest first and can be filtered by window, order, status or fee. Customers see their own.
    """
    own = {"customer_id": call.actor} if call.principal.account is Account.CUSTOMER else {}
    rows, total = await store.list_reservations(
        call.work,
        {"window_id": request.window_id, "order_id": request.order_id, **own},
        (request.status, request.no_show_fee),
        call.now,
        limit=request.per_page,
        offset=request.offset,
    )
    reservations = await serialize_reservations(call, rows)
    return ReservationList(total=total, page=request.page, per_page=request.per_page, reservations=reservations)


async def booking_customer_id(call: Call, customer_id: int | None) -> int | None:
    """Return the customer of a reservation. Customers book for themselves.

    Raises `INVALID_REQUEST` for an unknown customer.
    """
    if call.principal.account is Account.CUSTOMER:
        return call.actor
    if customer_id is not None and await get_user_of_account(call, customer_id, Account.CUSTOMER) is None:
        raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.customer_unknown"))
    return customer_id


async def _lock_active_reservation(
    call: Call, request: ReservationRef, other: int | None = None
) -> tuple[ReservationRow, BookingWindowRow, BookingWindowRow | None]:
    """Lock and return the reservation, its window and the `other` window.

    Raises `HOLD_EXPIRED` or `RESERVATION_OVER`.
    """
    row = await get_visible_reservation(call, request.reservation_id, lock=True)
    windows = await BookingWindowRow.lock_many(call.work, [row.window_id, *([other] if other else [])])
    if error := check_reservation_active(status_of(row, call.now)):
        raise error
    return row, windows[row.window_id], windows.get(other or 0)


def _require_before_cut_off(call: Call, window: BookingWindowRow) -> None:
    if call.principal.account is Account.CUSTOMER and call.now >= window.cut_off_at:
        raise WINDOW_CUT_OFF()


async def reservation_answer(call: Call, reservation_id: int, *, told: bool = False) -> ReservationAnswer:
    """Return a reservation, optionally publishing that it changed."""
    call.add_audit_subjects("reservation", reservation_id)
    row = await ReservationRow.get(call.work, reservation_id)
    if row is None:
        raise NOT_FOUND()
    if told:
        await tell_reservation(call, row, status_of(row, call.now))
    return ReservationAnswer(reservation=(await serialize_reservations(call, [row]))[0])
