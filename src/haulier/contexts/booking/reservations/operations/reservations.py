"""Operations on reservations: reservations."""

from datetime import timedelta

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.booking.reservations import store
from haulier.contexts.booking.reservations.actions import (
    book_visit,
    cancel_place,
    check_in,
    clear_promised_window,
    close_offer,
    get_bookable_order,
    get_visiting_order,
    is_visit,
    offer_free_places,
    pay_fee,
    promise_order_window,
    publish_reservation,
    publish_waiting,
    refund_price,
    require_free_place,
    require_zone,
    schedule_close_of_waiting,
    schedule_hold_expiry,
    set_entry_status,
    status_of,
    waive_fee,
)
from haulier.contexts.booking.reservations.contract import (
    LOCAL,
    CancelReservation,
    CheckInByCode,
    ConfirmReservation,
    HoldBookingWindow,
    JoinWaitingList,
    ListReservations,
    ListWaitingEntries,
    RescheduleReservation,
    ReservationAnswer,
    ReservationList,
    ReservationRef,
    WaitingEntryAnswer,
    WaitingEntryList,
    WaitingEntryRef,
    WaiveNoShowFee,
)
from haulier.contexts.booking.reservations.queries import get_visible_reservation
from haulier.contexts.booking.reservations.rules import (
    ACTIVE_RESERVATION,
    CHECK_IN_CLOSED,
    CHECKED_IN,
    FEE_NOT_CHARGED,
    FEE_NOT_DUE,
    HOLD_EXPIRED,
    MAX_HOLDS_PER_CUSTOMER,
    MAX_WAITING_PER_CUSTOMER,
    NO_VISIT,
    NOT_CONFIRMED,
    ORDER_NOT_BOOKABLE,
    ORDER_RESERVED,
    RESERVATION_CONFIRMED,
    RESERVATION_OVER,
    TOO_MANY_HOLDS,
    TOO_MANY_WAITING,
    WAITING_NEEDLESS,
    WINDOW_CLOSED,
    WINDOW_CUT_OFF,
    WINDOW_ELSEWHERE,
    WINDOW_FULL,
    NoShowFee,
    ReservationStatus,
    WaitingStatus,
    check_reservation_active,
)
from haulier.contexts.booking.reservations.serializers import serialize_reservations, serialize_waiting_entries
from haulier.contexts.booking.reservations.store import (
    BookingWindowRow,
    BookingZoneRow,
    ReservationRow,
    WaitingEntryRow,
)
from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.orders.public import OrderFacts
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import (
    INVALID_REQUEST,
    NOT_FOUND,
    PRICE_HIDDEN,
    FieldError,
    OperationError,
    record_not_found,
)
from haulier.kernel.pipeline.hide_prices import require_price_visible

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
    interfaces=(Rest("POST", PATH), GraphQL("holdWindow")),
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
    available_when={"status": ACTIVE_RESERVATION},
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
    interfaces=(Rest("POST", f"{RESERVATION_PATH}/confirm"), GraphQL("confirmReservation")),
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
    await close_offer(call, row.id, WaitingStatus.ACCEPTED)
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
    available_when={"status": ACTIVE_RESERVATION},
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(*WINDOW_ERRORS, *INACTIVE_ERRORS, ORDER_NOT_BOOKABLE, CREDIT_INSUFFICIENT),
    interfaces=(Rest("POST", f"{RESERVATION_PATH}/reschedule"), GraphQL("rescheduleReservation")),
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
            await refund_price(call, row)
            await book_visit(call, row, new_window, zone)
    elif row.order_id is not None:
        await promise_order_window(call, await get_bookable_order(call, row.order_id, reserved=row.id), new_window)
    await close_offer(call, row.id, WaitingStatus.WITHDRAWN)
    await offer_free_places(call, window.id)
    return await reservation_answer(call, row.id, told=True)


@writes(
    "cancel_reservation",
    available_when={"status": ACTIVE_RESERVATION},
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, *INACTIVE_ERRORS, WINDOW_CUT_OFF),
    interfaces=(Rest("POST", f"{RESERVATION_PATH}/cancel"), GraphQL("cancelReservation")),
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
    interfaces=(Rest("GET", RESERVATION_PATH), GraphQL("reservation")),
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
    interfaces=(Rest("GET", PATH), GraphQL("reservations")),
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
        await publish_reservation(call, row, status_of(row, call.now))
    return ReservationAnswer(reservation=(await serialize_reservations(call, [row]))[0])


FEE_PATH = f"{RESERVATION_PATH}/no-show-fee"


@writes(
    "pay_no_show_fee",
    available_when={"no_show_fee_status": NoShowFee.DUE.value},
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{FEE_PATH}/pay"), GraphQL("payNoShowFee")),
    errors=(NOT_FOUND, PRICE_HIDDEN, FEE_NOT_DUE, CREDIT_INSUFFICIENT),
)
async def pay_no_show_fee(call: Call, request: ReservationRef) -> ReservationAnswer:
    """Pay a no-show fee from the customer's credit.

    For a customer who cannot see prices, staff pay the fee.
    """
    row = await get_visible_reservation(call, request.reservation_id, lock=True)
    require_price_visible(call.principal.hidden_prices, LOCAL)
    await pay_fee(call, row)
    return await reservation_answer(call, row.id, told=True)


@writes(
    "waive_no_show_fee",
    available_when={"no_show_fee_status": frozenset({NoShowFee.DUE, NoShowFee.PAID})},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{FEE_PATH}/waive"), GraphQL("waiveNoShowFee")),
    errors=(NOT_FOUND, FEE_NOT_CHARGED),
)
async def waive_no_show_fee(call: Call, request: WaiveNoShowFee) -> ReservationAnswer:
    """Waive a no-show fee.

    A paid fee is refunded to the customer's credit, or to the card used for a payment link. Repeated calls change
    nothing. A payment in progress is refunded in the same way.
    """
    row = await get_visible_reservation(call, request.reservation_id, lock=True)
    await waive_fee(call, row, request.reason)
    return await reservation_answer(call, row.id, told=True)


VISIT_ERRORS = (NOT_FOUND, NO_VISIT, CHECK_IN_CLOSED)


@writes(
    "check_in_reservation",
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    errors=(*VISIT_ERRORS, NOT_CONFIRMED, HOLD_EXPIRED, RESERVATION_OVER, WINDOW_FULL),
    interfaces=(Rest("POST", f"{RESERVATION_PATH}/check-in"), GraphQL("checkInReservation")),
)
async def check_in_reservation(call: Call, request: ReservationRef) -> ReservationAnswer:
    """Check in for a visit.

    Customers can check in to their own visits until they count as missed. Staff can check in until the window ends.
    A missed visit gets a place again if one is available, and its fee is refunded. Repeated calls change nothing.
    """
    row = await get_visible_reservation(call, request.reservation_id)
    await check_in(call, row.id)
    return await reservation_answer(call, row.id)


@writes(
    "check_in_by_code",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    errors=(NOT_FOUND, CHECK_IN_CLOSED, RESERVATION_OVER, WINDOW_FULL),
    interfaces=(Rest("POST", f"{PATH}/check-in"), GraphQL("checkInByCode")),
)
async def check_in_by_code(call: Call, request: CheckInByCode) -> ReservationAnswer:
    """Check in a visitor by code.

    Repeated calls change nothing.
    """
    row = await ReservationRow.find_by(call.work, code=request.code.upper())
    if row is None:
        raise record_not_found(code=request.code)
    await check_in(call, row.id)
    return await reservation_answer(call, row.id)


WAITING_PATH = f"{PATH}/waiting-entries"
ENTRY_PATH = f"{WAITING_PATH}/{{waiting_entry_id}}"


@writes(
    "join_waiting_list",
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    errors=(NOT_FOUND, WINDOW_CLOSED, WINDOW_CUT_OFF, WINDOW_ELSEWHERE, WAITING_NEEDLESS, TOO_MANY_WAITING),
    interfaces=(Rest("POST", WAITING_PATH), GraphQL("joinWaitingList")),
)
async def join_waiting_list(call: Call, request: JoinWaitingList) -> WaitingEntryAnswer:
    """Join the waiting list of a full window.

    The first entry is offered the first free place. The place is held until the offer ends: `confirm_reservation`
    accepts it, `cancel_reservation` declines it. A customer who already waits keeps their position.
    """
    customer = await booking_customer_id(call, request.customer_id)
    if customer is None:
        raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.missing"))
    window = (await BookingWindowRow.lock_many(call.work, [request.window_id])).get(request.window_id)
    if window is None:
        raise record_not_found(window_id=request.window_id)
    entry = await store.get_live_entry(call.work, window.id, customer)
    if entry is not None:
        return await _entry_answer(call, entry.id)
    await require_zone(call, request.postal_code, window)
    await _require_full(call, window)
    if await store.count_waiting_of_customer(call.work, customer) >= MAX_WAITING_PER_CUSTOMER:
        raise TOO_MANY_WAITING(most=MAX_WAITING_PER_CUSTOMER)
    entry_id = await WaitingEntryRow.insert(
        call.work,
        window_id=window.id,
        customer_id=customer,
        postal_code=request.postal_code or "",
        status=WaitingStatus.WAITING.value,
        joined_at=call.now,
    )
    if (await store.count_waiting(call.work, [window.id]))[window.id] == 1:
        await schedule_close_of_waiting(call, window.id, window.cut_off_at)
    return await _entry_answer(call, entry_id, told=True)


async def _require_full(call: Call, window: BookingWindowRow) -> None:
    """Raise `WAITING_NEEDLESS` if a place can be held.

    If the window cannot be booked at all, raise the reason.
    """
    if call.now >= window.cut_off_at:
        raise WINDOW_CUT_OFF()
    try:
        await require_free_place(call, window)
    except OperationError as fault:
        if fault.error_type is WINDOW_FULL:
            return
        raise
    raise WAITING_NEEDLESS()


@writes(
    "leave_waiting_list",
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    errors=(NOT_FOUND,),
    interfaces=(Rest("POST", f"{ENTRY_PATH}/leave"), GraphQL("leaveWaitingList")),
)
async def leave_waiting_list(call: Call, request: WaitingEntryRef) -> WaitingEntryAnswer:
    """Leave a waiting list.

    An offered place goes to the next entry. An entry that has ended does not change.
    """
    entry = await _get_own_entry(call, request)
    # Lock the place before its window, as everywhere a place is released.
    place = entry.reservation_id and await ReservationRow.lock(call.work, entry.reservation_id)
    await BookingWindowRow.lock_many(call.work, [entry.window_id])
    entry = await _get_own_entry(call, request)
    if entry.status == WaitingStatus.WAITING:
        await set_entry_status(call, entry, WaitingStatus.WITHDRAWN)
    elif entry.status == WaitingStatus.OFFERED and entry.reservation_id is not None:
        place = place or await ReservationRow.lock(call.work, entry.reservation_id)
        if place and status_of(place, call.now) is ReservationStatus.HELD:
            await cancel_place(call, place, None)
    return await _entry_answer(call, entry.id)


@reads(
    "get_waiting_entry",
    audience=BOOKERS,
    scopes={Scope.ORDERS_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", ENTRY_PATH), GraphQL("waitingEntry")),
)
async def get_waiting_entry(call: Call, request: WaitingEntryRef) -> WaitingEntryAnswer:
    """Get a waiting list entry.

    Shows its position. Customers see their own.
    """
    return await _entry_answer(call, (await _get_own_entry(call, request)).id)


@reads(
    "list_waiting_entries",
    audience=BOOKERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", WAITING_PATH), GraphQL("waitingEntries")),
)
async def list_waiting_entries(call: Call, request: ListWaitingEntries) -> WaitingEntryList:
    """List waiting list entries.

    Results are ordered oldest first and can be filtered by window, customer or status. Customers see their own.
    """
    customer = call.actor if call.principal.account is Account.CUSTOMER else request.customer_id
    filters = {"window_id": request.window_id, "customer_id": customer, "status": request.status}
    rows, total = await store.list_waiting_entries(call.work, filters, limit=request.per_page, offset=request.offset)
    entries = await serialize_waiting_entries(call, rows)
    return WaitingEntryList(total=total, page=request.page, per_page=request.per_page, waiting_entries=entries)


async def _get_own_entry(call: Call, request: WaitingEntryRef) -> WaitingEntryRow:
    entry = await WaitingEntryRow.get(call.work, request.waiting_entry_id)
    if entry is None or (call.principal.account is Account.CUSTOMER and entry.customer_id != call.actor):
        raise record_not_found(waiting_entry_id=request.waiting_entry_id)
    return entry


async def _entry_answer(call: Call, entry_id: int, *, told: bool = False) -> WaitingEntryAnswer:
    call.add_audit_subjects("waiting_entry", entry_id)
    entry = await WaitingEntryRow.get(call.work, entry_id)
    if entry is None:
        raise record_not_found(waiting_entry_id=entry_id)
    if told:
        await publish_waiting(call, entry)
    return WaitingEntryAnswer(waiting_entry=(await serialize_waiting_entries(call, [entry]))[0])
