"""Zone maps: list, show, create, change, publish, compare, roll back, archive."""

from haulier.contexts.places.events import ZoneMapPublished
from haulier.contexts.places.zone_maps import store
from haulier.contexts.places.zone_maps.actions import lock_open_map, publish_draft
from haulier.contexts.places.zone_maps.contract import (
    MAX_DIFFERENCES,
    CompareZoneMapVersions,
    CreateZoneMap,
    ListZoneMaps,
    ListZoneMapVersions,
    PublishZoneMap,
    RollBackZoneMap,
    UpdateZoneMap,
    ZoneMapAnswer,
    ZoneMapComparison,
    ZoneMapList,
    ZoneMapRef,
    ZoneMapVersion,
    ZoneMapVersionList,
)
from haulier.contexts.places.zone_maps.errors import ZONE_MAP_ARCHIVED, ZONE_MAP_FULL, ZONE_MAP_UNCHANGED
from haulier.contexts.places.zone_maps.serializers import map_record, zone_differences
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record


@reads(
    "list_zone_maps",
    audience=OFFICE,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", "/v1/zone-maps"), GraphQL("zoneMaps")),
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
    doors=(Rest("GET", "/v1/zone-maps/{zone_map_id}"), GraphQL("zoneMap")),
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
    doors=(Rest("POST", "/v1/zone-maps"), GraphQL("createZoneMap")),
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
    allowed_where={"archived": False},
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", "/v1/zone-maps/{zone_map_id}"), GraphQL("updateZoneMap")),
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
    allowed_where={"archived": False},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", "/v1/zone-maps/{zone_map_id}/publish"), GraphQL("publishZoneMap")),
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
    allowed_where={"archived": False},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", "/v1/zone-maps/{zone_map_id}/roll-back"), GraphQL("rollBackZoneMap")),
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
    allowed_where={"archived": False},
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", "/v1/zone-maps/{zone_map_id}/draft"), GraphQL("discardZoneMapDraft")),
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
    allowed_where={"archived": False},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("DELETE", "/v1/zone-maps/{zone_map_id}"), GraphQL("archiveZoneMap")),
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
    doors=(Rest("GET", "/v1/zone-maps/{zone_map_id}/versions"), GraphQL("zoneMapVersions")),
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
    doors=(Rest("GET", "/v1/zone-maps/{zone_map_id}/compare"), GraphQL("compareZoneMapVersions")),
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
