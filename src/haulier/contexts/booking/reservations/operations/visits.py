"""Check-in for visits, by code at the place or by the customer."""

from haulier.contexts.booking.reservations.actions.visits import check_in
from haulier.contexts.booking.reservations.contract.bookings import ReservationAnswer, ReservationRef
from haulier.contexts.booking.reservations.contract.waiting_lists import CheckInByCode
from haulier.contexts.booking.reservations.operations.reservations import (
    BOOKERS,
    PATH,
    RESERVATION_PATH,
    reservation_answer,
)
from haulier.contexts.booking.reservations.queries import get_visible_reservation
from haulier.contexts.booking.reservations.rules import (
    CHECK_IN_CLOSED,
    HOLD_EXPIRED,
    NO_VISIT,
    NOT_CONFIRMED,
    RESERVATION_OVER,
    WINDOW_FULL,
)
from haulier.contexts.booking.reservations.store.tables import ReservationRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

VISIT_ERRORS = (NOT_FOUND, NO_VISIT, CHECK_IN_CLOSED)


@writes(
    "check_in_reservation",
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    errors=(*VISIT_ERRORS, NOT_CONFIRMED, HOLD_EXPIRED, RESERVATION_OVER, WINDOW_FULL),
    doors=(Rest("POST", f"{RESERVATION_PATH}/check-in"), GraphQL("checkInReservation")),
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
    doors=(Rest("POST", f"{PATH}/check-in"), GraphQL("checkInByCode")),
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
