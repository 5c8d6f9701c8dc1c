"""Operations for windows that repeat every week."""

from haulier.contexts.booking.reservations.contract.bookings import (
    BookingPatternAnswer,
    BookingPatternRef,
    BookingPatterns,
    CreateBookingPattern,
    ListBookingPatterns,
)
from haulier.contexts.booking.reservations.jobs.pattern_windows import create_pattern_windows
from haulier.contexts.booking.reservations.serializers import business_today, serialize_booking_pattern
from haulier.contexts.booking.reservations.store import bookings as store
from haulier.contexts.booking.reservations.store.tables import BookingPatternRow, BookingZoneRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

PATH = "/v1/reservations/patterns"


@writes(
    "create_booking_pattern",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    doors=(Rest("POST", PATH), GraphQL("createBookingPattern")),
)
async def create_booking_pattern(call: Call, request: CreateBookingPattern) -> BookingPatternAnswer:
    """Create a weekly window pattern.

    Windows for the next four weeks are created immediately, and one more day every night.
    """
    if await BookingZoneRow.lock(call.work, request.zone_id) is None:
        raise record_not_found(zone_id=request.zone_id)
    values = request.model_dump(exclude={"weekdays", "starts", "ends", "first_day"})
    pattern_id = await BookingPatternRow.insert(
        call.work,
        **values,
        weekdays=sorted(set(request.weekdays)),
        starts=request.starts.isoformat("minutes"),
        ends=request.ends.isoformat("minutes"),
        first_day=request.first_day or business_today(call),
        created_at=call.now,
    )
    made = await create_pattern_windows(call, await _require_pattern(call, pattern_id))
    return await _pattern_answer(call, pattern_id, made)


@writes(
    "end_booking_pattern",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    doors=(Rest("POST", f"{PATH}/{{pattern_id}}/end"), GraphQL("endBookingPattern")),
)
async def end_booking_pattern(call: Call, request: BookingPatternRef) -> BookingPatternAnswer:
    """End a weekly window pattern.

    No more windows are created, and future ones are closed. Confirmed and held places stay.
    """
    row = await _require_pattern(call, request.pattern_id, lock=True)
    if row.ended_at is None:
        await BookingPatternRow.update(call.work, row.id, {"ended_at": call.now, "last_day": business_today(call)})
        await store.close_windows_of_pattern(call.work, row.id, call.now)
    return await _pattern_answer(call, row.id, 0)


@reads(
    "list_booking_patterns",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("bookingPatterns")),
)
async def list_booking_patterns(call: Call, request: ListBookingPatterns) -> BookingPatterns:
    """List weekly window patterns.

    Includes active and ended patterns, newest first.
    """
    rows, total = await store.list_booking_patterns(
        call.work, request.zone_id, limit=request.per_page, offset=request.offset
    )
    patterns = [serialize_booking_pattern(call, row) for row in rows]
    return BookingPatterns(total=total, page=request.page, per_page=request.per_page, patterns=patterns)


async def _require_pattern(call: Call, pattern_id: int, *, lock: bool = False) -> BookingPatternRow:
    row = await (BookingPatternRow.lock if lock else BookingPatternRow.get)(call.work, pattern_id)
    if row is None:
        raise NOT_FOUND()
    return row


async def _pattern_answer(call: Call, pattern_id: int, made: int) -> BookingPatternAnswer:
    call.add_audit_subjects("booking_pattern", pattern_id)
    row = await _require_pattern(call, pattern_id)
    return BookingPatternAnswer(pattern=serialize_booking_pattern(call, row), windows_made=made)
