"""Windows: one by one, whole days, and what a customer can take."""

from datetime import date, timedelta
from typing import Any

from haulier.contexts.dispatch.reservations import store
from haulier.contexts.dispatch.reservations.contract import (
    RANGE_MAX,
    BookableWindows,
    BookingDayClosed,
    BookingWindowAnswer,
    BookingWindows,
    ChangeBookingWindow,
    CloseBookingDay,
    CreateBookingWindow,
    DayRange,
    FindBookableWindows,
    ListBookingWindows,
)
from haulier.contexts.dispatch.reservations.operations.zones import TAG
from haulier.contexts.dispatch.reservations.rules import (
    CAPACITY_BELOW_TAKEN,
    WINDOW_EXISTS,
    moments,
    zone_of,
)
from haulier.contexts.dispatch.reservations.showing import bookable, shown_windows, today
from haulier.kernel.call import Call
from haulier.kernel.data.work import Conflict
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault
from haulier.kernel.operation import GraphQL, Rest, reads, writes

PATH = "/v1/reservations/windows"
SOONEST = [store.windows.c.starts_at, store.windows.c.id]
TWO_WEEKS = timedelta(days=14)


@writes(
    "create_booking_window",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, WINDOW_EXISTS),
    doors=(Rest("POST", PATH, tag=TAG), GraphQL("createBookingWindow")),
)
async def create_booking_window(call: Call, request: CreateBookingWindow) -> BookingWindowAnswer:
    """Offer one window on one day."""
    if await store.one(call.work, store.zones, request.zone_id) is None:
        raise NOT_FOUND()
    starts_at, ends_at = moments(request.day, request.starts, request.ends, call.time_zone)
    if starts_at <= call.now:
        raise INVALID_REQUEST.at(Fault("day", "field.window_over"))
    try:
        async with call.work.savepoint():
            window_id = await store.add(
                call.work,
                store.windows,
                zone_id=request.zone_id,
                pattern_id=None,
                day=request.day,
                starts_at=starts_at,
                ends_at=ends_at,
                cut_off_at=starts_at - timedelta(minutes=request.cut_off_min),
                capacity=request.capacity,
                price_minor=request.price_minor,
                closed=False,
            )
    except Conflict as taken:
        raise WINDOW_EXISTS() from taken
    return await _answer(call, window_id)


@writes(
    "change_booking_window",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, CAPACITY_BELOW_TAKEN),
    doors=(Rest("PATCH", f"{PATH}/{{window_id}}", tag=TAG), GraphQL("changeBookingWindow")),
)
async def change_booking_window(call: Call, request: ChangeBookingWindow) -> BookingWindowAnswer:
    """Change how many orders a window takes and until when, close it or open it again. Nobody loses a place by it."""
    row = await store.one(call.work, store.windows, request.window_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    taken = (await store.taken(call.work, [row.id], call.now)).get(row.id, 0)
    if request.capacity is not None and request.capacity < taken:
        raise CAPACITY_BELOW_TAKEN(taken=taken)
    changed: dict[str, Any] = {"capacity": request.capacity, "closed": request.closed}
    if request.cut_off_min is not None:
        changed["cut_off_at"] = row.starts_at - timedelta(minutes=request.cut_off_min)
    values = {name: value for name, value in changed.items() if value is not None}
    await store.change(call.work, store.windows, row.id, **values)
    return await _answer(call, row.id)


@writes(
    "close_booking_day",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/reservations/days/close", tag=TAG), GraphQL("closeBookingDay")),
)
async def close_booking_day(call: Call, request: CloseBookingDay) -> BookingDayClosed:
    """Take no more reservations for a day, or take them again. Who has a place keeps it."""
    where = [store.windows.c.day == request.day]
    if request.zone_id is not None:
        where.append(store.windows.c.zone_id == request.zone_id)
    return BookingDayClosed(changed=await store.close_windows(call.work, where, closed=request.closed))


@reads(
    "list_booking_windows",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("bookingWindows")),
)
async def list_booking_windows(call: Call, request: ListBookingWindows) -> BookingWindows:
    """List windows with what each has taken, closed ones too. Soonest first."""
    where = _within(call, request)
    if request.zone_id is not None:
        where.append(store.windows.c.zone_id == request.zone_id)
    rows, total = await store.page(call.work, store.windows, where, SOONEST, request.per_page, request.offset)
    shown = await shown_windows(call, rows)
    return BookingWindows(total=total, page=request.page, per_page=request.per_page, windows=shown)


@reads(
    "find_bookable_windows",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/reservations/bookable", tag=TAG), GraphQL("bookableWindows")),
)
async def find_bookable_windows(call: Call, request: FindBookableWindows) -> BookableWindows:
    """List the windows for an address that can be taken now, soonest first. One without a place left says so by `left`."""
    zones = [(row.id, row.postal_prefixes) for row in await store.all_zones(call.work)]
    c = store.windows.c
    here = c.zone_id == (zone_of(request.postal_code, zones) or 0)
    where = [*_within(call, request), here, c.closed.is_(False), c.cut_off_at > call.now]
    rows, total = await store.page(call.work, store.windows, where, SOONEST, request.per_page, request.offset)
    shown = await bookable(call, rows)
    return BookableWindows(total=total, page=request.page, per_page=request.per_page, windows=shown)


def _within(call: Call, request: DayRange) -> list[Any]:
    first = request.date_from or today(call)
    last: date = request.date_to or first + TWO_WEEKS
    if last < first or last - first > timedelta(days=RANGE_MAX):
        raise INVALID_REQUEST.at(Fault("date_to", "field.booking_range", {"most": RANGE_MAX}))
    return [store.windows.c.day >= first, store.windows.c.day <= last]


async def _answer(call: Call, window_id: int) -> BookingWindowAnswer:
    call.concerns("booking_window", window_id)
    row = await store.one(call.work, store.windows, window_id)
    return BookingWindowAnswer(window=(await shown_windows(call, [row]))[0])
