"""Windows that come back every week."""

from haulier.contexts.dispatch.reservations import store
from haulier.contexts.dispatch.reservations.contract import (
    BookingPatternAnswer,
    BookingPatterns,
    CreateBookingPattern,
    ListBookingPatterns,
    TheBookingPattern,
)
from haulier.contexts.dispatch.reservations.operations.zones import TAG
from haulier.contexts.dispatch.reservations.recurring import make_windows
from haulier.contexts.dispatch.reservations.showing import shown_pattern, today
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, reads, writes

PATH = "/v1/reservations/patterns"


@writes(
    "create_booking_pattern",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    doors=(Rest("POST", PATH, tag=TAG), GraphQL("createBookingPattern")),
)
async def create_booking_pattern(call: Call, request: CreateBookingPattern) -> BookingPatternAnswer:
    """Offer a window every week. Its windows for the next four weeks are made at once, and a day more every night."""
    if await store.one(call.work, store.zones, request.zone_id, lock=True) is None:
        raise NOT_FOUND()
    words = request.model_dump(exclude={"weekdays", "starts", "ends", "first_day"})
    pattern_id = await store.add(
        call.work,
        store.patterns,
        **words,
        weekdays=sorted(set(request.weekdays)),
        starts=request.starts.isoformat("minutes"),
        ends=request.ends.isoformat("minutes"),
        first_day=request.first_day or today(call),
        created_at=call.now,
    )
    made = await make_windows(call, await store.one(call.work, store.patterns, pattern_id))
    return await _answer(call, pattern_id, made)


@writes(
    "end_booking_pattern",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    doors=(Rest("POST", f"{PATH}/{{pattern_id}}/end", tag=TAG), GraphQL("endBookingPattern")),
)
async def end_booking_pattern(call: Call, request: TheBookingPattern) -> BookingPatternAnswer:
    """Make no more windows of a pattern, and close those to come. Who has a place in one keeps it."""
    row = await store.one(call.work, store.patterns, request.pattern_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    if row.ended_at is None:
        await store.change(call.work, store.patterns, row.id, ended_at=call.now, last_day=today(call))
        its = [store.windows.c.pattern_id == row.id, store.windows.c.starts_at > call.now]
        await store.close_windows(call.work, its, closed=True)
    return await _answer(call, row.id, 0)


@reads(
    "list_booking_patterns",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("bookingPatterns")),
)
async def list_booking_patterns(call: Call, request: ListBookingPatterns) -> BookingPatterns:
    """List the patterns that make windows, and those that did. Newest first."""
    table = store.patterns
    where = [] if request.zone_id is None else [table.c.zone_id == request.zone_id]
    rows, total = await store.page(call.work, table, where, [table.c.id.desc()], request.per_page, request.offset)
    shown = [shown_pattern(call, row) for row in rows]
    return BookingPatterns(total=total, page=request.page, per_page=request.per_page, patterns=shown)


async def _answer(call: Call, pattern_id: int, made: int) -> BookingPatternAnswer:
    call.concerns("booking_pattern", pattern_id)
    row = await store.one(call.work, store.patterns, pattern_id)
    return BookingPatternAnswer(pattern=shown_pattern(call, row), windows_made=made)
