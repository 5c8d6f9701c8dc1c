"""Where windows are offered: zones of postal codes."""

from haulier.contexts.booking.reservations import store
from haulier.contexts.booking.reservations.contract import (
    BookingZoneAnswer,
    BookingZones,
    CreateBookingZone,
    ListBookingZones,
    UpdateBookingZone,
)
from haulier.contexts.booking.reservations.rules import ZONE_NAME_TAKEN
from haulier.contexts.booking.reservations.serializers import serialize_booking_zone
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/reservations/zones"


@reads(
    "list_booking_zones",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("bookingZones")),
)
async def list_booking_zones(call: Call, request: ListBookingZones) -> BookingZones:
    """List the zones in which windows can be booked, by name."""
    rows, total = await store.list_booking_zones(call.work, limit=request.per_page, offset=request.offset)
    zones = [serialize_booking_zone(row) for row in rows]
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
    """Create a zone of postal codes. A code that fits several zones belongs to that with the longest prefix."""
    try:
        async with call.savepoint():
            zone_id = await store.insert_booking_zone(call.work, **request.model_dump(), created_at=call.now)
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
    """Change a zone's name and postal codes. Existing reservations stay."""
    values = request.model_dump(exclude={"zone_id"})
    try:
        async with call.savepoint():
            await store.update_booking_zone(call.work, request.zone_id, **values)
    except UniqueConflict as conflict:
        raise ZONE_NAME_TAKEN(name=request.name) from conflict
    return await _zone_answer(call, request.zone_id)


async def _zone_answer(call: Call, zone_id: int) -> BookingZoneAnswer:
    row = await store.get_booking_zone(call.work, zone_id)
    if row is None:
        raise NOT_FOUND()
    call.add_audit_subjects("booking_zone", zone_id)
    return BookingZoneAnswer(zone=serialize_booking_zone(row))
