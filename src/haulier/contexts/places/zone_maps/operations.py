"""Operations on zone maps."""

from haulier.contexts.places.events import ZoneMapPublished
from haulier.contexts.places.place_imports.actions import read_import_document, start_import
from haulier.contexts.places.place_imports.contract import ImportKind, PlaceImportStarted
from haulier.contexts.places.place_imports.rules import BODY_LIMIT_BYTES, IMPORT_TOO_LONG, IMPORT_UNREADABLE
from haulier.contexts.places.zone_maps import store
from haulier.contexts.places.zone_maps.actions import (
    create_map_of_import,
    find_drafted,
    lock_open_map,
    publish_draft,
    upsert_zone_row,
)
from haulier.contexts.places.zone_maps.contract import (
    MAX_DIFFERENCES,
    MAX_DRAWN,
    CheckPlace,
    CompareZoneMapVersions,
    CreateZoneMap,
    DrawnBox,
    DrawnZone,
    DrawnZones,
    ImportZones,
    ListZoneMaps,
    ListZoneMapVersions,
    ListZones,
    PlaceCheck,
    PublishZoneMap,
    PutZone,
    RollBackZoneMap,
    UpdateZoneMap,
    ZoneAnswer,
    ZoneAtPlace,
    ZoneFeatureCollection,
    ZoneList,
    ZoneMapAnswer,
    ZoneMapComparison,
    ZoneMapList,
    ZoneMapRef,
    ZoneMapVersion,
    ZoneMapVersionList,
    ZoneRef,
)
from haulier.contexts.places.zone_maps.errors import ZONE_MAP_ARCHIVED, ZONE_MAP_FULL, ZONE_MAP_UNCHANGED
from haulier.contexts.places.zone_maps.jobs import IMPORT_JOB
from haulier.contexts.places.zone_maps.queries import get_zone_index
from haulier.contexts.places.zone_maps.rules import ZoneSurcharge, find_zone_effects
from haulier.contexts.places.zone_maps.serializers import map_record, zone_differences, zone_feature, zone_record
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import make_cursor, parse_cursor


@reads(
    "list_zone_maps",
    audience=OFFICE,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", "/v1/zone-maps"), GraphQL("zoneMaps")),
)
async def list_zone_maps(call: Call, request: ListZoneMaps) -> ZoneMapList:
    """List zone maps, by name."""
    rows, total = await store.list_map_rows(
        call.work, archived=request.archived, limit=request.per_page, offset=request.offset
    )
    changes = await store.count_draft_changes(call.work, [row.id for row in rows])
    maps = [map_record(call, row, changes[row.id]) for row in rows]
    return ZoneMapList(total=total, page=request.page, per_page=request.per_page, zone_maps=maps)


@reads(
    "get_zone_map",
    audience=OFFICE,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", "/v1/zone-maps/{zone_map_id}"), GraphQL("zoneMap")),
    errors=(NOT_FOUND,),
)
async def get_zone_map(call: Call, request: ZoneMapRef) -> ZoneMapAnswer:
    """Get a zone map."""
    return await _load_answer(call, request.zone_map_id)


@writes(
    "create_zone_map",
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/zone-maps"), GraphQL("createZoneMap")),
)
async def create_zone_map(call: Call, request: CreateZoneMap) -> ZoneMapAnswer:
    """Create a zone map.

    Its zones are drawn as a draft and take effect when it is published.
    """
    id = await store.insert_map(call.work, request.model_dump(), call.now)
    call.add_audit_subjects("zone_map", id)
    return await _load_answer(call, id)


@writes(
    "update_zone_map",
    available_when={"archived": False},
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", "/v1/zone-maps/{zone_map_id}"), GraphQL("updateZoneMap")),
    errors=(NOT_FOUND, ZONE_MAP_ARCHIVED),
)
async def update_zone_map(call: Call, request: UpdateZoneMap) -> ZoneMapAnswer:
    """Update the name and description of a map."""
    row = await lock_open_map(call, request.zone_map_id)
    values = {"name": request.name, "description": request.description, "updated_at": call.now}
    await store.update_map(call.work, row.id, values)
    call.add_audit_subjects("zone_map", row.id)
    return await _load_answer(call, row.id)


@writes(
    "publish_zone_map",
    available_when={"archived": False},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", "/v1/zone-maps/{zone_map_id}/publish"), GraphQL("publishZoneMap")),
    errors=(NOT_FOUND, ZONE_MAP_ARCHIVED, ZONE_MAP_UNCHANGED, ZONE_MAP_FULL),
)
async def publish_zone_map(call: Call, request: PublishZoneMap) -> ZoneMapAnswer:
    """Publish the draft of a zone map.

    It becomes the next version in force, for quotes, plans and the board.
    """
    row = await lock_open_map(call, request.zone_map_id)
    if not (await store.count_draft_changes(call.work, [row.id]))[row.id]:
        raise ZONE_MAP_UNCHANGED()
    await publish_draft(call, row, request.note)
    call.add_audit_subjects("zone_map", row.id)
    await call.publish(ZoneMapPublished(zone_map_id=row.id, version=row.version + 1))
    return await _load_answer(call, row.id)


@writes(
    "roll_back_zone_map",
    available_when={"archived": False},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", "/v1/zone-maps/{zone_map_id}/roll-back"), GraphQL("rollBackZoneMap")),
    errors=(NOT_FOUND, ZONE_MAP_ARCHIVED, ZONE_MAP_FULL),
)
async def roll_back_zone_map(call: Call, request: RollBackZoneMap) -> ZoneMapAnswer:
    """Roll back a zone map.

    Publishes an earlier version again as a new version. The draft is discarded.
    """
    row = await lock_open_map(call, request.zone_map_id)
    if request.version > row.version:
        raise record_not_found(version=request.version)
    await store.discard_draft(call.work, row.id, row.version + 1)
    await store.draft_version(call.work, row.id, request.version, row.version + 1)
    await publish_draft(call, row, request.note)
    call.add_audit_subjects("zone_map", row.id)
    await call.publish(ZoneMapPublished(zone_map_id=row.id, version=row.version + 1))
    return await _load_answer(call, row.id)


@writes(
    "discard_zone_map_draft",
    available_when={"archived": False},
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", "/v1/zone-maps/{zone_map_id}/draft"), GraphQL("discardZoneMapDraft")),
    errors=(NOT_FOUND, ZONE_MAP_ARCHIVED),
)
async def discard_zone_map_draft(call: Call, request: ZoneMapRef) -> ZoneMapAnswer:
    """Discard the draft of a zone map.

    The draft is reset to the version in force.
    """
    row = await lock_open_map(call, request.zone_map_id)
    await store.discard_draft(call.work, row.id, row.version + 1)
    call.add_audit_subjects("zone_map", row.id)
    return await _load_answer(call, row.id)


@writes(
    "archive_zone_map",
    available_when={"archived": False},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("DELETE", "/v1/zone-maps/{zone_map_id}"), GraphQL("archiveZoneMap")),
    errors=(NOT_FOUND, ZONE_MAP_ARCHIVED),
)
async def archive_zone_map(call: Call, request: ZoneMapRef) -> ZoneMapAnswer:
    """Archive a zone map.

    None of its zones remains in force. Its versions can still be read.
    """
    row = await lock_open_map(call, request.zone_map_id)
    await store.discard_draft(call.work, row.id, row.version + 1)
    if row.version:
        await store.draft_version(call.work, row.id, 0, row.version + 1)
        await publish_draft(call, row, None)
    await store.update_map(call.work, row.id, {"archived": True, "updated_at": call.now})
    call.add_audit_subjects("zone_map", row.id)
    await call.publish(ZoneMapPublished(zone_map_id=row.id, version=row.version + bool(row.version), archived=True))
    return await _load_answer(call, row.id)


@reads(
    "list_zone_map_versions",
    audience=OFFICE,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", "/v1/zone-maps/{zone_map_id}/versions"), GraphQL("zoneMapVersions")),
    errors=(NOT_FOUND,),
)
async def list_zone_map_versions(call: Call, request: ListZoneMapVersions) -> ZoneMapVersionList:
    """List versions of a zone map, newest first."""
    row = await _get_map(call, request.zone_map_id)
    rows = await store.list_version_rows(call.work, row.id, limit=request.per_page, offset=request.offset)
    return ZoneMapVersionList(
        total=row.version,
        page=request.page,
        per_page=request.per_page,
        versions=[record(ZoneMapVersion, each, published_at=call.local_time(each.published_at)) for each in rows],
    )


@reads(
    "compare_zone_map_versions",
    audience=OFFICE,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", "/v1/zone-maps/{zone_map_id}/compare"), GraphQL("compareZoneMapVersions")),
    errors=(NOT_FOUND,),
)
async def compare_zone_map_versions(call: Call, request: CompareZoneMapVersions) -> ZoneMapComparison:
    """Compare two versions of a zone map.

    Compares versions, or a version and the draft, and returns zones added, removed and changed.
    """
    row = await _get_map(call, request.zone_map_id)
    after = row.version + 1 if request.after is None else request.after
    rows = await store.list_different_rows(call.work, row.id, request.before, after, 2 * MAX_DIFFERENCES + 1)
    differences = list(zone_differences(rows, after))
    return ZoneMapComparison(
        differences=differences[:MAX_DIFFERENCES],
        more=len(differences) > MAX_DIFFERENCES or len(rows) > 2 * MAX_DIFFERENCES,
    )


async def _get_map(call: Call, id: int) -> store.MapRow:
    row = await store.get_map_row(call.work, id)
    if row is None:
        raise record_not_found(zone_map_id=id)
    return row


async def _load_answer(call: Call, id: int) -> ZoneMapAnswer:
    row = await _get_map(call, id)
    changes = 0 if row.archived else (await store.count_draft_changes(call.work, [id]))[id]
    return ZoneMapAnswer(zone_map=map_record(call, row, changes))


@reads(
    "list_zones",
    audience=OFFICE,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", "/v1/zone-maps/{zone_map_id}/zones"), GraphQL("zones")),
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
    interfaces=(Rest("GET", "/v1/zone-maps/{zone_map_id}/zones.geojson"), GraphQL("zonesAsGeoJson")),
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
    interfaces=(Rest("GET", "/v1/zone-maps/{zone_map_id}/zones/{code}"), GraphQL("zone")),
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
    interfaces=(Rest("PUT", "/v1/zone-maps/{zone_map_id}/zones/{code}"), GraphQL("putZone")),
    errors=(NOT_FOUND, ZONE_MAP_ARCHIVED),
)
async def put_zone(call: Call, request: PutZone) -> ZoneAnswer:
    """Create or replace a zone in a draft.

    The code identifies the zone. The change takes effect when the map is published.
    """
    row = await lock_open_map(call, request.zone_map_id)
    known = await find_drafted(call, row, [request.code])
    await upsert_zone_row(call, row, request, known.get(request.code))
    call.add_audit_subjects("zone_map", row.id)
    return ZoneAnswer(zone=zone_record((await find_drafted(call, row, [request.code]))[request.code]))


@writes(
    "remove_zone",
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", "/v1/zone-maps/{zone_map_id}/zones/{code}"), GraphQL("removeZone")),
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
    interfaces=(Rest("POST", "/v1/zone-maps/imports", query=("zone_map_id", "name", "check_only")),),
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
    interfaces=(Rest("GET", "/v1/zones/at"), GraphQL("placeCheck")),
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
    interfaces=(Rest("GET", "/v1/zones"), GraphQL("drawnZones")),
)
async def draw_zones(call: Call, request: DrawnBox) -> DrawnZones:
    """List the zones in force within a box.

    Zones are returned in the order in which a map draws them.
    """
    box = (request.west, request.south, request.east, request.north)
    rows = await store.list_drawn_zones(call.work, box, MAX_DRAWN + 1)
    return DrawnZones(zones=[record(DrawnZone, row) for row in rows[:MAX_DRAWN]], more=len(rows) > MAX_DRAWN)
