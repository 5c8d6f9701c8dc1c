"""Operations on map regions. Operators change them; the office reads them."""

import asyncio
from pathlib import Path

from haulier.contexts.places.map_regions import store
from haulier.contexts.places.map_regions.contract import (
    InstallMapRegion,
    ListMapRegionTasks,
    MapRegion,
    MapRegionList,
    MapRegionRef,
    MapRegionTask,
    MapRegionTaskAnswer,
    MapRegionTaskList,
    MapRegionTaskRef,
)
from haulier.contexts.places.map_regions.jobs import REGION_JOB, RunRegionTask
from haulier.contexts.places.map_regions.rules import (
    FAULT,
    MAP_REGION_BUSY,
    MAP_REGION_PACKAGED,
    MAP_REGION_TASK_OVER,
    MAP_REGIONS_FOR_OPERATORS,
    REMARK,
    RegionAction,
    RegionTaskState,
    file_error,
    source_error,
)
from haulier.contexts.places.map_regions.store import MapRegionTaskRow
from haulier.contexts.places.ports import InstalledRegion, RegionFault, RegionInstalls, RegionOperators, Regions
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

REGIONS, TASKS = "/v1/map-regions", "/v1/map-region-tasks"
ADMINS = frozenset({Account.CLIENT_ADMIN})


@reads(
    "list_map_regions",
    audience=OFFICE,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", REGIONS), GraphQL("mapRegions")),
)
async def list_map_regions(call: Call, request: EmptyRequest) -> MapRegionList:
    """List the installed map regions.

    A region gives maps their streets, the address search its house numbers, and travel times their roads. Regions
    belong to the server, so all businesses use them.
    """
    regions = await asyncio.to_thread(call.adapter(Regions).installed)
    operator = await call.adapter(RegionOperators).is_operator(call)
    return MapRegionList(
        map_regions=[_region(call, region, operator=operator) for region in regions], may_manage=operator
    )


@writes(
    "install_map_region",
    audience=ADMINS,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", REGIONS), GraphQL("installMapRegion")),
    errors=(MAP_REGIONS_FOR_OPERATORS, MAP_REGION_BUSY, MAP_REGION_PACKAGED),
)
async def install_map_region(call: Call, request: InstallMapRegion) -> MapRegionTaskAnswer:
    """Install or update a map region.

    The task runs in the background. An OpenStreetMap extract gives map, addresses and roads; a `.pmtiles` file of the
    Protomaps schema gives the map alone. The older region of that name is used until the new one is complete. An
    interrupted installation continues. Read progress with `get_map_region_task`.
    """
    await _require_operator(call)
    source = await asyncio.to_thread(_find_source, call, request)
    name = _name_of(call, request.region, source)
    if source is None:
        region = await _find_region(call, name)
        if region is None or not region.source_path:
            raise file_error("path", "file_needed")
        source = Path(region.source_path)
    return await _start(call, RegionAction.INSTALL, name, title=request.title, source=str(source))


@writes(
    "remove_map_region",
    audience=ADMINS,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("DELETE", f"{REGIONS}/{{region}}"), GraphQL("removeMapRegion")),
    errors=(NOT_FOUND, MAP_REGIONS_FOR_OPERATORS, MAP_REGION_BUSY, MAP_REGION_PACKAGED),
)
async def remove_map_region(call: Call, request: MapRegionRef) -> MapRegionTaskAnswer:
    """Remove a map region.

    The task runs in the background and also removes addresses and roads. All businesses of the server lose it: maps
    show outlines there, and travel times are estimates.
    """
    await _require_operator(call)
    await _require_no_task(call, request.region)
    if await _find_region(call, request.region) is None:
        raise record_not_found(region=request.region)
    return await _start(call, RegionAction.REMOVE, request.region)


@reads(
    "list_map_region_tasks",
    audience=OFFICE,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", TASKS), GraphQL("mapRegionTasks")),
)
async def list_map_region_tasks(call: Call, request: ListMapRegionTasks) -> MapRegionTaskList:
    """List map region tasks, newest first.

    Tasks are installations and removals. They are stored for 90 days.
    """
    rows, total = await store.list_tasks(
        call.work, request.state and request.state.value, limit=request.per_page, offset=request.offset
    )
    return MapRegionTaskList(
        total=total, page=request.page, per_page=request.per_page, map_region_tasks=[_task(call, row) for row in rows]
    )


@reads(
    "get_map_region_task",
    audience=OFFICE,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", f"{TASKS}/{{map_region_task_id}}"), GraphQL("mapRegionTask")),
    errors=(NOT_FOUND,),
)
async def get_map_region_task(call: Call, request: MapRegionTaskRef) -> MapRegionTaskAnswer:
    """Get the progress of a region task."""
    row = await MapRegionTaskRow.get(call.work, request.map_region_task_id)
    if row is None:
        raise record_not_found(map_region_task_id=request.map_region_task_id)
    return MapRegionTaskAnswer(task=_task(call, row))


@writes(
    "cancel_map_region_task",
    available_when={"finished_at": None},
    audience=ADMINS,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{TASKS}/{{map_region_task_id}}/cancel"), GraphQL("cancelMapRegionTask")),
    errors=(NOT_FOUND, MAP_REGIONS_FOR_OPERATORS, MAP_REGION_TASK_OVER),
)
async def cancel_map_region_task(call: Call, request: MapRegionTaskRef) -> MapRegionTaskAnswer:
    """Cancel a region task.

    The region stays as it was. Completed steps are kept, so that a later installation continues.
    """
    await _require_operator(call)
    row = await MapRegionTaskRow.lock(call.work, request.map_region_task_id)
    if row is None:
        raise record_not_found(map_region_task_id=request.map_region_task_id)
    if row.finished_at:
        raise MAP_REGION_TASK_OVER()
    ended = {"state": RegionTaskState.CANCELLED.value, "finished_at": call.now}
    await MapRegionTaskRow.update(call.work, row.id, ended)
    call.add_audit_subjects("map_region_task", row.id)
    changed = await MapRegionTaskRow.get(call.work, row.id)
    assert changed
    return MapRegionTaskAnswer(task=_task(call, changed))


async def _require_operator(call: Call) -> None:
    if not await call.adapter(RegionOperators).is_operator(call):
        raise MAP_REGIONS_FOR_OPERATORS()


async def _require_no_task(call: Call, name: str) -> None:
    if await store.find_open_task(call.work, name):
        raise MAP_REGION_BUSY(region=name)


async def _find_region(call: Call, name: str) -> InstalledRegion | None:
    """Return an installed region that can be changed. Raises `MAP_REGION_PACKAGED`."""
    region = await asyncio.to_thread(call.adapter(Regions).find, name)
    if region and region.packaged:
        raise MAP_REGION_PACKAGED(region=region.title)
    return region


def _find_source(call: Call, request: InstallMapRegion) -> Path | None:
    """Return the file of a request, or None without one. Raises `INVALID_REQUEST`."""
    installs = call.adapter(RegionInstalls)
    if request.upload:
        source = None if request.path else installs.find_upload(request.upload)
        if source is None:
            raise file_error("upload", "one_file" if request.path else "no_upload")
        return source
    if request.path is None:
        if request.region is None:
            raise file_error("path", "file_needed")
        return None
    try:
        installs.check_source(Path(request.path))
    except RegionFault as fault:
        raise source_error("path", fault) from None
    return Path(request.path)


def _name_of(call: Call, name: str | None, source: Path | None) -> str:
    """Return the given name, or the one of a file. Raises `INVALID_REQUEST`."""
    text = name or (source.name if source else "")
    try:
        found = call.adapter(RegionInstalls).region_name(text)
    except RegionFault as fault:
        raise source_error("region", fault) from None
    if name and found != name:
        raise file_error("region", "invalid_name")
    return found


async def _start(
    call: Call, action: RegionAction, name: str, *, title: str | None = None, source: str | None = None
) -> MapRegionTaskAnswer:
    """Insert a task and enqueue its job. Raises `MAP_REGION_BUSY`."""
    await _require_no_task(call, name)
    await store.delete_old_tasks(call.work, call.now - store.KEPT)
    task_id = await MapRegionTaskRow.insert(
        call.work,
        action=action.value,
        region=name,
        title=title,
        source=source,
        state=RegionTaskState.QUEUED.value,
        step=None,
        percent=None,
        objects=None,
        fault=None,
        remarks=[],
        created_by=call.actor,
        created_at=call.now,
        finished_at=None,
    )
    await call.enqueue(REGION_JOB, RunRegionTask(task_id))
    call.add_audit_subjects("map_region_task", task_id)
    row = await MapRegionTaskRow.get(call.work, task_id)
    assert row
    return MapRegionTaskAnswer(task=_task(call, row))


def _region(call: Call, region: InstalledRegion, *, operator: bool) -> MapRegion:
    return MapRegion(
        name=region.name,
        title=region.title,
        size_bytes=region.size,
        updated_at=call.local_time(region.updated_at),
        attribution=region.attribution,
        bounds=list(region.bounds),
        has_roads=region.roads is not None,
        addresses=region.addresses,
        streets=region.streets,
        source=region.source,
        source_path=region.source_path or None if operator else None,
        packaged=region.packaged,
    )


def _task(call: Call, row: MapRegionTaskRow) -> MapRegionTask:
    running = row.state == RegionTaskState.RUNNING.value
    fault = row.fault
    return MapRegionTask(
        id=row.id,
        action=row.action,
        region=row.region,
        source=Path(row.source).name if row.source else None,
        state=row.state,
        step=row.step if running else None,
        percent=row.percent if running else None,
        objects=row.objects if running else None,
        code=fault["code"] if fault else None,
        message=call.translate(f"{FAULT}{fault['code']}", region=row.region, **fault["params"]) if fault else None,
        remarks=[call.translate(f"{REMARK}{each['code']}", **each["params"]) for each in row.remarks],
        created_at=call.local_time(row.created_at),
        finished_at=call.local_time(row.finished_at),
    )
