"""Operations on sites."""

from collections.abc import Iterator
from typing import Any

from haulier.contexts.lockers.devices.actions.commands import place_device
from haulier.contexts.lockers.devices.queries import get_device
from haulier.contexts.lockers.sites import store
from haulier.contexts.lockers.sites.actions import PLACE_FIELDS, place_values, set_box_state
from haulier.contexts.lockers.sites.contract import (
    AddLockerCabinet,
    CreateLockerSite,
    FindLockerSites,
    FreeBoxes,
    ListLockerBoxes,
    ListLockerSites,
    LockerBoxAnswer,
    LockerBoxList,
    LockerCabinetAnswer,
    LockerSiteAnswer,
    LockerSiteDetail,
    LockerSiteList,
    LockerSiteRef,
    LockerSiteSummary,
    NearbyLockerSite,
    NearbyLockerSites,
    UpdateLockerBox,
    UpdateLockerCabinet,
    UpdateLockerSite,
)
from haulier.contexts.lockers.sites.queries import find_sites_near, get_box, get_cabinet, get_site
from haulier.contexts.lockers.sites.rules import (
    CABINET_CODE_TAKEN,
    LOCKER_DEVICE_TAKEN,
    BoxState,
    is_open_at,
    rank_of,
)
from haulier.contexts.lockers.sites.serializers import box_record, cabinet_record, site_fields
from haulier.contexts.lockers.sites.store import FreeCountRow, LockerBoxRow, LockerCabinetRow, LockerSiteRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record


@writes(
    "add_locker_cabinet",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/lockers/sites/{site_id}/cabinets"), GraphQL("addLockerCabinet")),
    errors=(NOT_FOUND, CABINET_CODE_TAKEN, LOCKER_DEVICE_TAKEN),
)
async def add_locker_cabinet(call: Call, request: AddLockerCabinet) -> LockerCabinetAnswer:
    """Add a locker to a site."""
    site = await get_site(call, request.site_id, lock=True)
    await _require_free_device(call, request.device_id)
    values = {"site_id": site.id, "code": request.code, "device_id": request.device_id, "retired": False}
    try:
        async with call.work.savepoint():
            id = await LockerCabinetRow.insert(call.work, **{**values, "created_at": call.now})
    except UniqueConflict:
        raise CABINET_CODE_TAKEN(code=request.code) from None
    if request.device_id is not None:
        await place_device(call, request.device_id, site.id)
    await LockerBoxRow.insert_many(call.work, list(_boxes(request, id)))
    await store.update_usable(call.work, site.id)
    return await _cabinet_answer(call, id)


def _boxes(request: AddLockerCabinet, cabinet_id: int) -> Iterator[dict[str, Any]]:
    number = 0
    for each in request.layout:
        for _ in range(each.count):
            number += 1
            yield {
                "site_id": request.site_id,
                "cabinet_id": cabinet_id,
                "number": number,
                "size": each.size,
                "size_rank": rank_of(each.size),
                "low": each.low,
                "usable": True,
                "state": BoxState.READY.value,
            }


async def _require_free_device(call: Call, device_id: int | None, cabinet_id: int | None = None) -> None:
    if device_id is None:
        return
    await get_device(call, device_id)
    other = await LockerCabinetRow.find_by(call.work, device_id=device_id)
    if other is not None and other.id != cabinet_id:
        raise LOCKER_DEVICE_TAKEN(device_id=device_id)


@writes(
    "update_locker_cabinet",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", "/v1/lockers/cabinets/{cabinet_id}"), GraphQL("updateLockerCabinet")),
    errors=(NOT_FOUND, LOCKER_DEVICE_TAKEN),
)
async def update_locker_cabinet(call: Call, request: UpdateLockerCabinet) -> LockerCabinetAnswer:
    """Update a locker.

    Changes its device or retires it. Omitted fields stay unchanged.
    """
    cabinet = await get_cabinet(call, request.cabinet_id)
    await _require_free_device(call, request.device_id, cabinet.id)
    values = request.model_dump(exclude={"cabinet_id"}, exclude_none=True)
    try:
        async with call.work.savepoint():
            await store.update_cabinet(call.work, cabinet.id, values)
    except UniqueConflict:
        raise LOCKER_DEVICE_TAKEN(device_id=request.device_id) from None
    if request.device_id is not None:
        if cabinet.device_id is not None:
            await place_device(call, cabinet.device_id, None)
        await place_device(call, request.device_id, cabinet.site_id)
    await store.update_usable(call.work, cabinet.site_id)
    return await _cabinet_answer(call, cabinet.id)


@reads(
    "list_locker_boxes",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/lockers/sites/{site_id}/boxes"), GraphQL("lockerBoxes")),
    errors=(NOT_FOUND,),
)
async def list_locker_boxes(call: Call, request: ListLockerBoxes) -> LockerBoxList:
    """List the compartments of a site.

    Ordered by locker and number, with their contents.
    """
    await get_site(call, request.site_id)
    wanted = request.model_dump(include={"site_id", "cabinet_id", "size", "state"}, exclude_none=True)
    rows, total = await store.list_box_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    shown = [box_record(row) for row in rows]
    return LockerBoxList(total=total, page=request.page, per_page=request.per_page, boxes=shown)


@writes(
    "update_locker_box",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", "/v1/lockers/boxes/{box_id}"), GraphQL("updateLockerBox")),
    errors=(NOT_FOUND,),
)
async def update_locker_box(call: Call, request: UpdateLockerBox) -> LockerBoxAnswer:
    """Disable or re-enable a locker compartment.

    Its content stays inside.
    """
    box = await get_box(call, request.box_id, lock=True)
    await set_box_state(call, box, BoxState(request.state), request.fault if request.state != BoxState.READY else None)
    row = await store.get_occupied_box_row(call.work, box.id)
    assert row is not None
    call.add_audit_subjects("locker_site", box.site_id)
    return LockerBoxAnswer(box=box_record(row))


async def _cabinet_answer(call: Call, cabinet_id: int) -> LockerCabinetAnswer:
    cabinet = await get_cabinet(call, cabinet_id)
    _, boxes = await store.list_box_rows(call.work, {"cabinet_id": cabinet.id}, limit=1, offset=0)
    call.add_audit_subjects("locker_site", cabinet.site_id)
    return LockerCabinetAnswer(cabinet=cabinet_record(call, cabinet), boxes=boxes)


SITES_PATH, SITE_PATH = "/v1/lockers/sites", "/v1/lockers/sites/{site_id}"


@writes(
    "create_locker_site",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", SITES_PATH), GraphQL("createLockerSite")),
    errors=(NOT_FOUND,),
)
async def create_locker_site(call: Call, request: CreateLockerSite) -> LockerSiteAnswer:
    """Create a locker site."""
    values = request.model_dump(mode="json")
    if request.point_of_interest_id is not None:
        values |= await place_values(call, request.point_of_interest_id, request, name=request.name)
    id = await LockerSiteRow.insert(call.work, **{**values, "retired": False, "created_at": call.now})
    return await _site_answer(call, id)


@writes(
    "update_locker_site",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", SITE_PATH), GraphQL("updateLockerSite")),
    errors=(NOT_FOUND,),
)
async def update_locker_site(call: Call, request: UpdateLockerSite) -> LockerSiteAnswer:
    """Update or retire a locker site.

    Omitted fields stay unchanged.
    """
    site = await get_site(call, request.site_id, lock=True)
    # `exclude_none` would also drop empty parts of opening hours.
    values = {
        name: value for name, value in request.model_dump(mode="json", exclude={"site_id"}).items() if value is not None
    }
    point = request.point_of_interest_id or site.point_of_interest_id
    if point is not None and values.keys() & {"point_of_interest_id", *PLACE_FIELDS}:
        values |= await place_values(call, point, request, name=request.name or site.name)
    await LockerSiteRow.update(call.work, request.site_id, values)
    if request.retired is not None:
        await store.update_usable(call.work, request.site_id)
    return await _site_answer(call, request.site_id)


@reads(
    "get_locker_site",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", SITE_PATH), GraphQL("lockerSite")),
    errors=(NOT_FOUND,),
)
async def get_locker_site(call: Call, request: LockerSiteRef) -> LockerSiteAnswer:
    """Retrieve a locker site.

    Includes its lockers and the number of free compartments by size.
    """
    return await _site_answer(call, request.site_id)


@reads(
    "list_locker_sites",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", SITES_PATH), GraphQL("lockerSites")),
)
async def list_locker_sites(call: Call, request: ListLockerSites) -> LockerSiteList:
    """List locker sites by name.

    Includes the number of free and unusable compartments.
    """
    rows, total = await store.list_site_rows(
        call.work, retired=request.retired, limit=request.per_page, offset=request.offset
    )
    counts = await store.count_free_boxes(call.work, [row.id for row in rows])
    shown = [_summary(call, row, [each for each in counts if each.site_id == row.id]) for row in rows]
    return LockerSiteList(total=total, page=request.page, per_page=request.per_page, sites=shown)


@reads(
    "find_locker_sites",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/lockers/nearby"), GraphQL("nearbyLockerSites")),
)
async def find_locker_sites(call: Call, request: FindLockerSites) -> NearbyLockerSites:
    """Find locker sites near a place.

    Returns sites with a free compartment of the requested size, nearest first.
    """
    near = await find_sites_near(
        call, (request.lat, request.lng), radius_m=request.radius_m, size=request.size, low=request.low
    )
    found = [
        record(
            NearbyLockerSite,
            row,
            **site_fields(call, row),
            distance_m=round(metres),
            open_now=is_open,
            free=free,
        )
        for metres, row, free in near
        if ((is_open := is_open_at(row.opening_hours, call.now, call.time_zone)) or not request.open_now)
    ]
    return NearbyLockerSites(sites=found[: request.limit])


def _summary(call: Call, row: LockerSiteRow, counts: list[FreeCountRow]) -> LockerSiteSummary:
    return record(
        LockerSiteSummary,
        row,
        **site_fields(call, row),
        boxes=sum(each.boxes for each in counts),
        free=sum(each.free for each in counts),
        out_of_use=sum(each.out_of_use for each in counts),
    )


async def _site_answer(call: Call, site_id: int) -> LockerSiteAnswer:
    row = await get_site(call, site_id)
    counts: list[FreeCountRow] = list(await store.count_free_boxes(call.work, [row.id]))
    cabinets = await store.list_cabinets_of_site(call.work, row.id)
    call.add_audit_subjects("locker_site", row.id)
    return LockerSiteAnswer(
        site=record(
            LockerSiteDetail,
            row,
            **site_fields(call, row),
            open_now=is_open_at(row.opening_hours, call.now, call.time_zone),
            cabinets=[cabinet_record(call, each) for each in cabinets],
            free=[record(FreeBoxes, count) for count in counts],
        )
    )
