"""Operations on reservations: zones."""

from datetime import date, timedelta
from typing import Any

from haulier.contexts.booking.reservations import store
from haulier.contexts.booking.reservations.actions import find_delivery_zone, is_visit, offer_free_places
from haulier.contexts.booking.reservations.contract import (
    MAX_RANGE_DAYS,
    BookableWindows,
    BookingDayRange,
    BookingDayResult,
    BookingPatternAnswer,
    BookingPatternRef,
    BookingPatterns,
    BookingWindowAnswer,
    BookingWindows,
    BookingZoneAnswer,
    BookingZones,
    BookingZoneTerms,
    CloseBookingDay,
    CreateBookingPattern,
    CreateBookingWindow,
    CreateBookingZone,
    FindBookableWindows,
    ListBookingPatterns,
    ListBookingWindows,
    ListBookingZones,
    UpdateBookingWindow,
    UpdateBookingZone,
)
from haulier.contexts.booking.reservations.jobs import create_pattern_windows
from haulier.contexts.booking.reservations.rules import (
    CAPACITY_BELOW_TAKEN,
    WINDOW_EXISTS,
    ZONE_NAME_TAKEN,
    BookingKind,
    window_times,
)
from haulier.contexts.booking.reservations.serializers import (
    business_today,
    serialize_bookable_windows,
    serialize_booking_pattern,
    serialize_booking_windows,
    serialize_booking_zone,
)
from haulier.contexts.booking.reservations.store import BookingPatternRow, BookingWindowRow, BookingZoneRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found

PATTERNS_PATH = "/v1/reservations/patterns"


@writes(
    "create_booking_pattern",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("POST", PATTERNS_PATH), GraphQL("createBookingPattern")),
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
    interfaces=(Rest("POST", f"{PATTERNS_PATH}/{{pattern_id}}/end"), GraphQL("endBookingPattern")),
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
    interfaces=(Rest("GET", PATTERNS_PATH), GraphQL("bookingPatterns")),
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


WINDOWS_PATH = "/v1/reservations/windows"
TWO_WEEKS = timedelta(days=14)


@writes(
    "create_booking_window",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, WINDOW_EXISTS),
    interfaces=(Rest("POST", WINDOWS_PATH), GraphQL("createBookingWindow")),
)
async def create_booking_window(call: Call, request: CreateBookingWindow) -> BookingWindowAnswer:
    """Create a booking window on one day."""
    if await BookingZoneRow.get(call.work, request.zone_id) is None:
        raise record_not_found(zone_id=request.zone_id)
    starts_at, ends_at = window_times(request.day, request.starts, request.ends, call.time_zone)
    if starts_at <= call.now:
        raise INVALID_REQUEST.for_fields(FieldError("day", "field.window_over"))
    try:
        async with call.savepoint():
            window_id = await BookingWindowRow.insert(
                call.work,
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
    except UniqueConflict as conflict:
        raise WINDOW_EXISTS() from conflict
    return await _window_answer(call, window_id)


@writes(
    "update_booking_window",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, CAPACITY_BELOW_TAKEN),
    interfaces=(Rest("PATCH", f"{WINDOWS_PATH}/{{window_id}}"), GraphQL("updateBookingWindow")),
)
async def update_booking_window(call: Call, request: UpdateBookingWindow) -> BookingWindowAnswer:
    """Update a booking window.

    Changes its capacity or cut-off, or closes or reopens it. Existing places stay.
    """
    row = await BookingWindowRow.lock(call.work, request.window_id)
    if row is None:
        raise NOT_FOUND()
    taken = (await store.count_taken_places(call.work, [row.id], call.now)).get(row.id, 0)
    if request.capacity is not None and request.capacity < taken:
        raise CAPACITY_BELOW_TAKEN(taken=taken)
    changed: dict[str, Any] = {"capacity": request.capacity, "closed": request.closed}
    if request.cut_off_min is not None:
        changed["cut_off_at"] = row.starts_at - timedelta(minutes=request.cut_off_min)
    values = {name: value for name, value in changed.items() if value is not None}
    await BookingWindowRow.update(call.work, row.id, values)
    await offer_free_places(call, row.id)
    return await _window_answer(call, row.id)


@writes(
    "close_booking_day",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/reservations/days/close"), GraphQL("closeBookingDay")),
)
async def close_booking_day(call: Call, request: CloseBookingDay) -> BookingDayResult:
    """Close or reopen the windows of a day.

    A closed day accepts no more reservations. Existing places stay.
    """
    changed = await store.set_day_closed(call.work, request.day, request.zone_id, closed=request.closed)
    if not request.closed:
        for window_id in await store.list_awaited_windows(call.work, request.day, request.zone_id):
            await offer_free_places(call, window_id)
    return BookingDayResult(changed=changed)


@reads(
    "list_booking_windows",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", WINDOWS_PATH), GraphQL("bookingWindows")),
)
async def list_booking_windows(call: Call, request: ListBookingWindows) -> BookingWindows:
    """List booking windows.

    Includes closed windows and the number of places taken, soonest first.
    """
    zone_ids = None if request.zone_id is None else [request.zone_id]
    rows, total = await store.list_booking_windows(
        call.work, _day_range(call, request), zone_ids, limit=request.per_page, offset=request.offset
    )
    windows = await serialize_booking_windows(call, rows)
    return BookingWindows(total=total, page=request.page, per_page=request.per_page, windows=windows)


@reads(
    "find_bookable_windows",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/reservations/bookable"), GraphQL("bookableWindows")),
)
async def find_bookable_windows(call: Call, request: FindBookableWindows) -> BookableWindows:
    """Find bookable windows for an address or visit.

    Windows are ordered soonest first. A full window has a `left` of 0.
    """
    zone_ids = await _zones_of(call, request)
    rows, total = await store.list_booking_windows(
        call.work,
        _day_range(call, request),
        zone_ids,
        bookable_at=call.now,
        limit=request.per_page,
        offset=request.offset,
    )
    windows = await serialize_bookable_windows(call, rows)
    return BookableWindows(total=total, page=request.page, per_page=request.per_page, windows=windows)


async def _zones_of(call: Call, request: FindBookableWindows) -> list[int]:
    """Return the zones of a postal code, a place, or every place of a kind."""
    if [request.postal_code, request.zone_id, request.kind].count(None) != 2:
        raise INVALID_REQUEST.for_fields(FieldError("postal_code", "field.booking_one_of"))
    if request.postal_code is not None:
        zone_id = await find_delivery_zone(call, request.postal_code)
        return [] if zone_id is None else [zone_id]
    rows = [row for row in await store.list_all_booking_zones(call.work) if is_visit(row)]
    return [row.id for row in rows if row.id == request.zone_id or row.kind == request.kind]


def _day_range(call: Call, request: BookingDayRange) -> tuple[date, date]:
    """Return the first and last day of a request.

    Raises `INVALID_REQUEST` if the range is too long or ends before it begins.
    """
    first = request.date_from or business_today(call)
    last = request.date_to or first + TWO_WEEKS
    if last < first or last - first > timedelta(days=MAX_RANGE_DAYS):
        raise INVALID_REQUEST.for_fields(FieldError("date_to", "field.booking_range", {"most": MAX_RANGE_DAYS}))
    return first, last


async def _window_answer(call: Call, window_id: int) -> BookingWindowAnswer:
    call.add_audit_subjects("booking_window", window_id)
    row = await BookingWindowRow.get(call.work, window_id)
    if row is None:
        raise NOT_FOUND()
    return BookingWindowAnswer(window=(await serialize_booking_windows(call, [row]))[0])


ZONES_PATH = "/v1/reservations/zones"


@reads(
    "list_booking_zones",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", ZONES_PATH), GraphQL("bookingZones")),
)
async def list_booking_zones(call: Call, request: ListBookingZones) -> BookingZones:
    """List booking zones.

    Results are ordered by name.
    """
    rows, total = await store.list_booking_zones(call.work, limit=request.per_page, offset=request.offset)
    zones = [serialize_booking_zone(call, row) for row in rows]
    return BookingZones(total=total, page=request.page, per_page=request.per_page, zones=zones)


@writes(
    "create_booking_zone",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(ZONE_NAME_TAKEN,),
    interfaces=(Rest("POST", ZONES_PATH), GraphQL("createBookingZone")),
)
async def create_booking_zone(call: Call, request: CreateBookingZone) -> BookingZoneAnswer:
    """Create a booking zone or place for visits.

    A delivery zone has postal code prefixes. A code that matches several zones belongs to the one with the longest
    prefix.
    """
    _require_prefixes(request.kind, request)
    try:
        async with call.savepoint():
            zone_id = await BookingZoneRow.insert(call.work, **request.model_dump(), created_at=call.now)
    except UniqueConflict as conflict:
        raise ZONE_NAME_TAKEN(name=request.name) from conflict
    return await _zone_answer(call, zone_id)


@writes(
    "update_booking_zone",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ZONE_NAME_TAKEN),
    interfaces=(Rest("PUT", f"{ZONES_PATH}/{{zone_id}}"), GraphQL("updateBookingZone")),
)
async def update_booking_zone(call: Call, request: UpdateBookingZone) -> BookingZoneAnswer:
    """Update a booking zone.

    Changes its name and postal codes, or the terms of visits. Existing reservations stay.
    """
    row = await BookingZoneRow.get(call.work, request.zone_id)
    if row is None:
        raise record_not_found(zone_id=request.zone_id)
    _require_prefixes(BookingKind(row.kind), request)
    values = request.model_dump(exclude={"zone_id"})
    try:
        async with call.savepoint():
            await BookingZoneRow.update(call.work, request.zone_id, values)
    except UniqueConflict as conflict:
        raise ZONE_NAME_TAKEN(name=request.name) from conflict
    return await _zone_answer(call, request.zone_id)


def _require_prefixes(kind: BookingKind, terms: BookingZoneTerms) -> None:
    """Raise `INVALID_REQUEST` for a delivery zone without prefixes."""
    if kind is BookingKind.DELIVERY and not terms.postal_prefixes:
        raise INVALID_REQUEST.for_fields(FieldError("postal_prefixes", "field.missing"))


async def _zone_answer(call: Call, zone_id: int) -> BookingZoneAnswer:
    row = await BookingZoneRow.get(call.work, zone_id)
    if row is None:
        raise NOT_FOUND()
    call.add_audit_subjects("booking_zone", zone_id)
    return BookingZoneAnswer(zone=serialize_booking_zone(call, row))
