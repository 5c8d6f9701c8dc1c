"""Customers and the office hold a place, confirm it with an order, exchange it, and give it up."""

from datetime import timedelta
from typing import Any

from haulier.contexts.access.public import user_of_kind
from haulier.contexts.dispatch.reservations import store
from haulier.contexts.dispatch.reservations.contract import (
    CancelReservation,
    ConfirmReservation,
    HoldWindow,
    ListReservations,
    RescheduleReservation,
    ReservationAnswer,
    Reservations,
    TheReservation,
)
from haulier.contexts.dispatch.reservations.expiring import expire_at
from haulier.contexts.dispatch.reservations.operations.zones import TAG
from haulier.contexts.dispatch.reservations.promising import keep_promise, order_for, take_promise_back
from haulier.contexts.dispatch.reservations.rules import (
    HOLD_EXPIRED,
    HOLDS_MAX,
    ORDER_NOT_BOOKABLE,
    ORDER_RESERVED,
    RESERVATION_CONFIRMED,
    RESERVATION_OVER,
    TOO_MANY_HOLDS,
    WINDOW_CLOSED,
    WINDOW_CUT_OFF,
    WINDOW_ELSEWHERE,
    WINDOW_FULL,
    BookingWindow,
    ReservationStatus,
    status_now,
    why_not_take,
    why_not_touch,
    zone_of,
)
from haulier.contexts.dispatch.reservations.showing import shown_reservations
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault
from haulier.kernel.operation import GraphQL, Rest, reads, writes

PATH = "/v1/reservations"
ONE = f"{PATH}/{{reservation_id}}"
WHO = OFFICE | {Account.CUSTOMER}
NO_PLACE = (NOT_FOUND, WINDOW_CLOSED, WINDOW_CUT_OFF, WINDOW_FULL, WINDOW_ELSEWHERE)
OVER = (HOLD_EXPIRED, RESERVATION_OVER)


@writes(
    "hold_window",
    audience=WHO,
    scopes={Scope.ORDERS_WRITE},
    errors=(*NO_PLACE, TOO_MANY_HOLDS),
    doors=(Rest("POST", PATH, tag=TAG), GraphQL("holdWindow")),
)
async def hold_window(call: Call, request: HoldWindow) -> ReservationAnswer:
    """Hold a place in a window for some minutes. Not confirmed by then, it is free for others again."""
    customer = await _customer(call, request.customer_id)
    window = (await store.lock_windows(call.work, [request.window_id])).get(request.window_id)
    if window is None:
        raise NOT_FOUND()
    await _must_lie_in(call, request.postal_code, window)
    await _must_have_room(call, window)
    if (
        call.principal.account is Account.CUSTOMER
        and await store.held_by(call.work, customer or 0, call.now) >= HOLDS_MAX
    ):
        raise TOO_MANY_HOLDS(most=HOLDS_MAX)
    expires_at = call.now + timedelta(minutes=request.minutes)
    reservation_id = await store.add(
        call.work,
        store.reservations,
        window_id=window.id,
        postal_code=request.postal_code,
        customer_id=customer,
        held_at=call.now,
        held_by=call.actor,
        expires_at=expires_at,
    )
    await expire_at(call, reservation_id, expires_at)
    return await _answer(call, reservation_id)


@writes(
    "confirm_reservation",
    audience=WHO,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, *OVER, WINDOW_FULL, WINDOW_ELSEWHERE, ORDER_RESERVED, ORDER_NOT_BOOKABLE, RESERVATION_CONFIRMED),
    doors=(Rest("POST", f"{ONE}/confirm", tag=TAG), GraphQL("confirmReservation")),
)
async def confirm_reservation(call: Call, request: ConfirmReservation) -> ReservationAnswer:
    """Keep the place that is held, for an order: its delivery window is set. Confirmed again with the same order, it stays."""
    row, window, _ = await _held_still(call, request)
    if row.confirmed_at is not None:
        if row.order_id != request.order_id:
            raise RESERVATION_CONFIRMED()
        return await _answer(call, row.id)
    order = await order_for(call, request.order_id)
    if order.postal_code:
        await _must_lie_in(call, order.postal_code, window)
    others = (await store.taken(call.work, [window.id], call.now, but=row.id)).get(window.id, 0)
    if others >= window.capacity:  # a call that began later, when the hold was over, may have been first at the lock
        raise WINDOW_FULL()
    await store.change(call.work, store.reservations, row.id, confirmed_at=call.now, order_id=order.id)
    await keep_promise(call, order, window)
    return await _answer(call, row.id)


@writes(
    "reschedule_reservation",
    audience=WHO,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(*NO_PLACE, *OVER, ORDER_NOT_BOOKABLE),
    doors=(Rest("POST", f"{ONE}/reschedule", tag=TAG), GraphQL("rescheduleReservation")),
)
async def reschedule_reservation(call: Call, request: RescheduleReservation) -> ReservationAnswer:
    """Exchange a place for one in another window, in one step: without room there, the old one stays."""
    row, window, wanted = await _held_still(call, request, request.window_id)
    if wanted is None:
        raise NOT_FOUND()
    if wanted.id == window.id:
        return await _answer(call, row.id)
    _must_be_in_time(call, window)
    if wanted.zone_id != window.zone_id:
        raise WINDOW_ELSEWHERE()
    await _must_have_room(call, wanted)
    await store.change(call.work, store.reservations, row.id, window_id=wanted.id)
    if row.order_id is not None:
        await keep_promise(call, await order_for(call, row.order_id, reserved=row.id), wanted)
    return await _answer(call, row.id)


@writes(
    "cancel_reservation",
    audience=WHO,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, *OVER, WINDOW_CUT_OFF),
    doors=(Rest("POST", f"{ONE}/cancel", tag=TAG), GraphQL("cancelReservation")),
)
async def cancel_reservation(call: Call, request: CancelReservation) -> ReservationAnswer:
    """Give a place up: it is free for others at once, and its order has no window any more. Customers until the cut-off."""
    row, window, _ = await _held_still(call, request)
    if row.confirmed_at is not None:
        _must_be_in_time(call, window)
    ended = {"outcome": ReservationStatus.CANCELLED.value, "ended_at": call.now, "reason": request.reason}
    await store.change(call.work, store.reservations, row.id, **ended)
    if row.order_id is not None:
        await take_promise_back(call, row.order_id)
    return await _answer(call, row.id)


@reads(
    "get_reservation",
    audience=WHO,
    scopes={Scope.ORDERS_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", ONE, tag=TAG), GraphQL("reservation")),
)
async def get_reservation(call: Call, request: TheReservation) -> ReservationAnswer:
    """Show a reservation. Customers see their own."""
    return await _answer(call, (await _mine(call, request)).id)


@reads(
    "list_reservations",
    audience=WHO,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("reservations")),
)
async def list_reservations(call: Call, request: ListReservations) -> Reservations:
    """List reservations, newest first: of a window, of an order, or those that stand somewhere. Customers see their own."""
    c = store.reservations.c
    wanted = {c.window_id: request.window_id, c.order_id: request.order_id}
    where = [column == value for column, value in wanted.items() if value is not None]
    if request.status is not None:
        where.append(store.standing(request.status, call.now))
    if call.principal.account is Account.CUSTOMER:
        where.append(c.customer_id == call.actor)
    table = store.reservations
    rows, total = await store.page(call.work, table, where, [c.id.desc()], request.per_page, request.offset)
    shown = await shown_reservations(call, rows)
    return Reservations(total=total, page=request.page, per_page=request.per_page, reservations=shown)


async def _customer(call: Call, customer_id: int | None) -> int | None:
    if call.principal.account is Account.CUSTOMER:
        return call.actor
    if customer_id is not None and await user_of_kind(call, customer_id, Account.CUSTOMER) is None:
        raise INVALID_REQUEST.at(Fault("customer_id", "field.customer_unknown"))
    return customer_id


async def _mine(call: Call, request: TheReservation, *, lock: bool = False) -> Any:
    row = await store.one(call.work, store.reservations, request.reservation_id, lock=lock)
    if row is None or (call.principal.account is Account.CUSTOMER and row.customer_id != call.actor):
        raise NOT_FOUND()
    return row


async def _held_still(call: Call, request: TheReservation, other: int | None = None) -> tuple[Any, Any, Any]:
    """The reservation, its window, and another where one is asked for; all locked. Raises for one that is over."""
    row = await _mine(call, request, lock=True)
    windows = await store.lock_windows(call.work, [row.window_id, *([other] if other else [])])
    status = status_now(row.confirmed_at is not None, row.outcome, row.expires_at, call.now)
    if why := why_not_touch(status):
        raise why
    return row, windows[row.window_id], windows.get(other or 0)


async def _must_lie_in(call: Call, postal_code: str, window: Any) -> None:
    zones = [(row.id, row.postal_prefixes) for row in await store.all_zones(call.work)]
    if zone_of(postal_code, zones) != window.zone_id:
        raise WINDOW_ELSEWHERE()


async def _must_have_room(call: Call, window: Any) -> None:
    taken = (await store.taken(call.work, [window.id], call.now)).get(window.id, 0)
    state = BookingWindow(
        capacity=window.capacity, taken=taken, cut_off_at=window.cut_off_at, closed=bool(window.closed)
    )
    if why := why_not_take(state, call.now):
        raise why


def _must_be_in_time(call: Call, window: Any) -> None:
    if call.principal.account is Account.CUSTOMER and call.now >= window.cut_off_at:
        raise WINDOW_CUT_OFF()


async def _answer(call: Call, reservation_id: int) -> ReservationAnswer:
    call.concerns("reservation", reservation_id)
    row = await store.one(call.work, store.reservations, reservation_id)
    return ReservationAnswer(reservation=(await shown_reservations(call, [row]))[0])
