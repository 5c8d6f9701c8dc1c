"""Operations for waiting lists of full windows."""

from haulier.contexts.booking.reservations.actions.endings import cancel_place
from haulier.contexts.booking.reservations.actions.visits import status_of
from haulier.contexts.booking.reservations.actions.waiting_lists import set_entry_status, tell_waiting
from haulier.contexts.booking.reservations.actions.window_places import require_free_place, require_zone
from haulier.contexts.booking.reservations.actions.work import schedule_close_of_waiting
from haulier.contexts.booking.reservations.contract.waiting_lists import (
    JoinWaitingList,
    ListWaitingEntries,
    WaitingEntryAnswer,
    WaitingEntryList,
    WaitingEntryRef,
)
from haulier.contexts.booking.reservations.operations.reservations import BOOKERS, PATH, booking_customer_id
from haulier.contexts.booking.reservations.rules import (
    MAX_WAITING_PER_CUSTOMER,
    TOO_MANY_WAITING,
    WAITING_NEEDLESS,
    WINDOW_CLOSED,
    WINDOW_CUT_OFF,
    WINDOW_ELSEWHERE,
    WINDOW_FULL,
    ReservationStatus,
    WaitingStatus,
)
from haulier.contexts.booking.reservations.serializers import serialize_waiting_entries
from haulier.contexts.booking.reservations.store import waiting_lists as waiting
from haulier.contexts.booking.reservations.store.tables import BookingWindowRow, ReservationRow, WaitingEntryRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.operations.errors import (
    INVALID_REQUEST,
    NOT_FOUND,
    FieldError,
    OperationError,
    record_not_found,
)

WAITING_PATH = f"{PATH}/waiting-entries"
ENTRY_PATH = f"{WAITING_PATH}/{{waiting_entry_id}}"


@writes(
    "join_waiting_list",
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    errors=(NOT_FOUND, WINDOW_CLOSED, WINDOW_CUT_OFF, WINDOW_ELSEWHERE, WAITING_NEEDLESS, TOO_MANY_WAITING),
    doors=(Rest("POST", WAITING_PATH), GraphQL("joinWaitingList")),
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
    entry = await waiting.get_live_entry(call.work, window.id, customer)
    if entry is not None:
        return await _entry_answer(call, entry.id)
    await require_zone(call, request.postal_code, window)
    await _require_full(call, window)
    if await waiting.count_waiting_of_customer(call.work, customer) >= MAX_WAITING_PER_CUSTOMER:
        raise TOO_MANY_WAITING(most=MAX_WAITING_PER_CUSTOMER)
    entry_id = await WaitingEntryRow.insert(
        call.work,
        window_id=window.id,
        customer_id=customer,
        postal_code=request.postal_code or "",
        status=WaitingStatus.WAITING.value,
        joined_at=call.now,
    )
    if (await waiting.count_waiting(call.work, [window.id]))[window.id] == 1:
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
    doors=(Rest("POST", f"{ENTRY_PATH}/leave"), GraphQL("leaveWaitingList")),
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
    doors=(Rest("GET", ENTRY_PATH), GraphQL("waitingEntry")),
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
    doors=(Rest("GET", WAITING_PATH), GraphQL("waitingEntries")),
)
async def list_waiting_entries(call: Call, request: ListWaitingEntries) -> WaitingEntryList:
    """List waiting list entries.

    Results are ordered oldest first and can be filtered by window, customer or status. Customers see their own.
    """
    customer = call.actor if call.principal.account is Account.CUSTOMER else request.customer_id
    filters = {"window_id": request.window_id, "customer_id": customer, "status": request.status}
    rows, total = await waiting.list_waiting_entries(call.work, filters, limit=request.per_page, offset=request.offset)
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
        await tell_waiting(call, entry)
    return WaitingEntryAnswer(waiting_entry=(await serialize_waiting_entries(call, [entry]))[0])
