"""Where windows are offered: zones of postal codes."""

from haulier.contexts.dispatch.reservations import store
from haulier.contexts.dispatch.reservations.contract import (
    BookingZoneAnswer,
    BookingZones,
    CreateBookingZone,
    ListBookingZones,
    UpdateBookingZone,
)
from haulier.contexts.dispatch.reservations.rules import ZONE_NAME_TAKEN
from haulier.contexts.dispatch.reservations.showing import shown_zone
from haulier.kernel.call import Call
from haulier.kernel.data.work import Conflict
from haulier.kernel.declarations import OFFICE, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, reads, writes

TAG = "Reservations"
PATH = "/v1/reservations/zones"


@reads(
    "list_booking_zones",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("bookingZones")),
)
async def list_booking_zones(call: Call, request: ListBookingZones) -> BookingZones:
    """List the zones in which windows can be booked, by name."""
    by_name = [store.zones.c.name, store.zones.c.id]
    rows, total = await store.page(call.work, store.zones, [], by_name, request.per_page, request.offset)
    shown = [shown_zone(row) for row in rows]
    return BookingZones(total=total, page=request.page, per_page=request.per_page, zones=shown)


@writes(
    "create_booking_zone",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(ZONE_NAME_TAKEN,),
    doors=(Rest("POST", PATH, tag=TAG), GraphQL("createBookingZone")),
)
async def create_booking_zone(call: Call, request: CreateBookingZone) -> BookingZoneAnswer:
    """Say which postal codes make a zone. One that fits several zones belongs to that with the longest prefix."""
    try:
        async with call.work.savepoint():
            zone_id = await store.add(call.work, store.zones, **request.model_dump(), created_at=call.now)
    except Conflict as taken:
        raise ZONE_NAME_TAKEN(name=request.name) from taken
    return await _shown(call, zone_id)


@writes(
    "update_booking_zone",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ZONE_NAME_TAKEN),
    doors=(Rest("PUT", f"{PATH}/{{zone_id}}", tag=TAG), GraphQL("updateBookingZone")),
)
async def update_booking_zone(call: Call, request: UpdateBookingZone) -> BookingZoneAnswer:
    """Change a zone's name and postal codes. What is reserved stays reserved."""
    values = request.model_dump(exclude={"zone_id"})
    try:
        async with call.work.savepoint():
            await store.change(call.work, store.zones, request.zone_id, **values)
    except Conflict as taken:
        raise ZONE_NAME_TAKEN(name=request.name) from taken
    return await _shown(call, request.zone_id)


async def _shown(call: Call, zone_id: int) -> BookingZoneAnswer:
    row = await store.one(call.work, store.zones, zone_id)
    if row is None:
        raise NOT_FOUND()
    call.concerns("booking_zone", zone_id)
    return BookingZoneAnswer(zone=shown_zone(row))
