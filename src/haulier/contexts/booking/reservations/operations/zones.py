"""Operations for booking zones."""

from haulier.contexts.booking.reservations.contract.bookings import (
    BookingZoneAnswer,
    BookingZones,
    BookingZoneTerms,
    CreateBookingZone,
    ListBookingZones,
    UpdateBookingZone,
)
from haulier.contexts.booking.reservations.rules import ZONE_NAME_TAKEN, BookingKind
from haulier.contexts.booking.reservations.serializers import serialize_booking_zone
from haulier.contexts.booking.reservations.store import bookings as store
from haulier.contexts.booking.reservations.store.tables import BookingZoneRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found

PATH = "/v1/reservations/zones"


@reads(
    "list_booking_zones",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("bookingZones")),
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
    doors=(Rest("POST", PATH), GraphQL("createBookingZone")),
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
    doors=(Rest("PUT", f"{PATH}/{{zone_id}}"), GraphQL("updateBookingZone")),
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
