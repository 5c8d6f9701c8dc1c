"""Zones: list, show, put, remove, import and export those of a map; and what the zones in force mean at a place."""

from haulier.contexts.places.place_imports.actions import read_import_document, start_import
from haulier.contexts.places.place_imports.contract import ImportKind, PlaceImportStarted
from haulier.contexts.places.place_imports.rules import BODY_LIMIT_BYTES, IMPORT_TOO_LONG, IMPORT_UNREADABLE
from haulier.contexts.places.zone_maps import store
from haulier.contexts.places.zone_maps.actions import create_map_of_import, find_drafted, lock_open_map, put_zone_row
from haulier.contexts.places.zone_maps.contract import (
    MAX_DRAWN,
    CheckPlace,
    DrawnBox,
    DrawnZone,
    DrawnZones,
    ImportZones,
    ListZones,
    PlaceCheck,
    PutZone,
    ZoneAnswer,
    ZoneAtPlace,
    ZoneFeatureCollection,
    ZoneList,
    ZoneRef,
)
from haulier.contexts.places.zone_maps.errors import ZONE_MAP_ARCHIVED
from haulier.contexts.places.zone_maps.jobs import IMPORT_JOB
from haulier.contexts.places.zone_maps.queries.published_zones import get_zone_index
from haulier.contexts.places.zone_maps.rules.effects import ZoneSurcharge, find_zone_effects
from haulier.contexts.places.zone_maps.serializers import zone_feature, zone_record
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import make_cursor, parse_cursor


@reads(
    "list_zones",
    audience=OFFICE,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", "/v1/zone-maps/{zone_map_id}/zones"), GraphQL("zones")),
    errors=(NOT_FOUND,),
)
async def list_zones(call: Call, request: ListZones) -> ZoneList:
    """List the zones of a map, by code.

    Returns zones of the draft or of a version.
    """
    rows, next_cursor = await _load_page(call, request)
    return ZoneList(zones=[zone_record(row) for row in rows], next_cursor=next_cursor)


@reads(
    "export_zones",
    audience=OFFICE,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", "/v1/zone-maps/{zone_map_id}/zones.geojson"), GraphQL("zonesAsGeoJson")),
    errors=(NOT_FOUND,),
)
async def export_zones(call: Call, request: ListZones) -> ZoneFeatureCollection:
    """Export the zones of a map as GeoJSON.

    The format is RFC 7946 with pages, and can be imported again.
    """
    rows, next_cursor = await _load_page(call, request)
    return ZoneFeatureCollection(features=[zone_feature(row) for row in rows], next_cursor=next_cursor)


async def _load_page(call: Call, request: ListZones) -> tuple[list[store.ZoneRow], str | None]:
    row = await store.get_map_row(call.work, request.zone_map_id)
    if row is None:
        raise record_not_found(zone_map_id=request.zone_map_id)
    version = row.version + 1 if request.version is None else request.version
    after = parse_cursor(request.cursor, tuple[str])[0] if request.cursor else ""
    rows = await store.list_zone_rows(
        call.work, row.id, version, rule=request.rule, after=after, limit=request.per_page + 1
    )
    page = list(rows[: request.per_page])
    return page, make_cursor(page[-1].code) if len(rows) > request.per_page else None


@reads(
    "get_zone",
    audience=OFFICE,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", "/v1/zone-maps/{zone_map_id}/zones/{code}"), GraphQL("zone")),
    errors=(NOT_FOUND,),
)
async def get_zone(call: Call, request: ZoneRef) -> ZoneAnswer:
    """Get a zone of a map draft."""
    row = await store.get_map_row(call.work, request.zone_map_id)
    if row is None:
        raise record_not_found(zone_map_id=request.zone_map_id)
    zone = await store.get_zone_row(call.work, row.id, request.code, row.version + 1)
    if zone is None:
        raise record_not_found(code=request.code)
    return ZoneAnswer(zone=zone_record(zone))


@writes(
    "put_zone",
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", "/v1/zone-maps/{zone_map_id}/zones/{code}"), GraphQL("putZone")),
    errors=(NOT_FOUND, ZONE_MAP_ARCHIVED),
)
async def put_zone(call: Call, request: PutZone) -> ZoneAnswer:
    """Create or replace a zone in a draft.

    The code identifies the zone. The change takes effect when the map is published.
    """
    row = await lock_open_map(call, request.zone_map_id)
    known = await find_drafted(call, row, [request.code])
    await put_zone_row(call, row, request, known.get(request.code))
    call.add_audit_subjects("zone_map", row.id)
    return ZoneAnswer(zone=zone_record((await find_drafted(call, row, [request.code]))[request.code]))


@writes(
    "remove_zone",
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", "/v1/zone-maps/{zone_map_id}/zones/{code}"), GraphQL("removeZone")),
    errors=(NOT_FOUND, ZONE_MAP_ARCHIVED),
)
async def remove_zone(call: Call, request: ZoneRef) -> Done:
    """Remove a zone from a draft.

    The zone stays in force until the map is published.
    """
    row = await lock_open_map(call, request.zone_map_id)
    known = (await find_drafted(call, row, [request.code])).get(request.code)
    if known is None:
        raise record_not_found(code=request.code)
    await store.end_zone(call.work, known, row.version + 1)
    call.add_audit_subjects("zone_map", row.id)
    return Done(message=call.translate("zone_removed"))


@writes(
    "import_zones",
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/zone-maps/imports", query=("zone_map_id", "name", "check_only")),),
    prepare=read_import_document,
    body_limit_bytes=BODY_LIMIT_BYTES,
    errors=(NOT_FOUND, ZONE_MAP_ARCHIVED, IMPORT_UNREADABLE, IMPORT_TOO_LONG),
)
async def import_zones(call: Call, request: ImportZones) -> PlaceImportStarted:
    """Import zones into a map draft.

    Takes GeoJSON or KML with up to 20,000 zones and runs in the background. Without a map, a new one is created, which
    `get_place_import` returns.

    The code of a zone is the feature's `id` or its property `code`; an existing zone with that code is replaced.
    Properties have the names of fields. Invalid features do not affect the others.
    """
    zone_map_id = request.zone_map_id
    if zone_map_id is None and not request.check_only:
        zone_map_id = await create_map_of_import(call, request.name)
    if zone_map_id is not None:
        call.add_audit_subjects("zone_map", (await lock_open_map(call, zone_map_id)).id)
    return await start_import(
        call, ImportKind.ZONES, IMPORT_JOB, call.prepared, check_only=request.check_only, zone_map_id=zone_map_id
    )


@reads(
    "check_place",
    audience=OFFICE,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", "/v1/zones/at"), GraphQL("placeCheck")),
)
async def check_place(call: Call, request: CheckPlace) -> PlaceCheck:
    """Check the zones of a location.

    Returns the zones in force there and their effects on orders.
    """
    index, place = await get_zone_index(call), (request.lat, request.lng)
    effects = find_zone_effects(index, place)
    surcharge = effects.surcharge or ZoneSurcharge()
    return PlaceCheck(
        zones=[record(ZoneAtPlace, zone, rule=zone.rule.value) for zone in index.zones_at(place)],
        closed=effects.closure,
        advisory=effects.closure_is_advisory,
        surcharge_minor=surcharge.amount_minor,
        surcharge_percent=surcharge.percent,
        driver_ids=None if effects.driver_ids is None else sorted(effects.driver_ids),
        depot_ids=None if effects.depot_ids is None else sorted(effects.depot_ids),
    )


@reads(
    "draw_zones",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", "/v1/zones"), GraphQL("drawnZones")),
)
async def draw_zones(call: Call, request: DrawnBox) -> DrawnZones:
    """List the zones in force within a box.

    Zones are returned in the order in which a map draws them.
    """
    box = (request.west, request.south, request.east, request.north)
    rows = await store.list_drawn_zones(call.work, box, MAX_DRAWN + 1)
    return DrawnZones(zones=[record(DrawnZone, row) for row in rows[:MAX_DRAWN]], more=len(rows) > MAX_DRAWN)
