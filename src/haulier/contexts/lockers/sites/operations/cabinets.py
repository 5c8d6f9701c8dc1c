"""Operations on lockers and their compartments."""

from collections.abc import Iterator
from typing import Any

from haulier.contexts.lockers.devices.actions.states import place_device
from haulier.contexts.lockers.devices.queries import get_device
from haulier.contexts.lockers.sites.actions import set_box_state
from haulier.contexts.lockers.sites.contract import (
    AddLockerCabinet,
    ListLockerBoxes,
    LockerBox,
    LockerBoxAnswer,
    LockerBoxList,
    LockerCabinetAnswer,
    UpdateLockerBox,
    UpdateLockerCabinet,
)
from haulier.contexts.lockers.sites.queries import get_box, get_cabinet, get_site
from haulier.contexts.lockers.sites.rules import (
    CABINET_CODE_TAKEN,
    LOCKER_DEVICE_TAKEN,
    BoxState,
    rank_of,
)
from haulier.contexts.lockers.sites.serializers import cabinet_record
from haulier.contexts.lockers.sites.store import boxes as box_store
from haulier.contexts.lockers.sites.store import sites as store
from haulier.contexts.lockers.sites.store.tables import LockerBoxRow, LockerCabinetRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record


@writes(
    "add_locker_cabinet",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/lockers/sites/{site_id}/cabinets"), GraphQL("addLockerCabinet")),
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
    await box_store.settle_usable(call.work, site.id)
    return await _answer(call, id)


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
    doors=(Rest("PATCH", "/v1/lockers/cabinets/{cabinet_id}"), GraphQL("updateLockerCabinet")),
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
    await box_store.settle_usable(call.work, cabinet.site_id)
    return await _answer(call, cabinet.id)


@reads(
    "list_locker_boxes",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", "/v1/lockers/sites/{site_id}/boxes"), GraphQL("lockerBoxes")),
    errors=(NOT_FOUND,),
)
async def list_locker_boxes(call: Call, request: ListLockerBoxes) -> LockerBoxList:
    """List the compartments of a site.

    Ordered by locker and number, with their contents.
    """
    await get_site(call, request.site_id)
    wanted = request.model_dump(include={"site_id", "cabinet_id", "size", "state"}, exclude_none=True)
    rows, total = await box_store.list_box_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    shown = [record(LockerBox, row) for row in rows]
    return LockerBoxList(total=total, page=request.page, per_page=request.per_page, boxes=shown)


@writes(
    "update_locker_box",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", "/v1/lockers/boxes/{box_id}"), GraphQL("updateLockerBox")),
    errors=(NOT_FOUND,),
)
async def update_locker_box(call: Call, request: UpdateLockerBox) -> LockerBoxAnswer:
    """Disable or re-enable a locker compartment.

    Its content stays inside.
    """
    box = await get_box(call, request.box_id, lock=True)
    await set_box_state(call, box, BoxState(request.state), request.fault if request.state != BoxState.READY else None)
    row = await box_store.get_occupied_box_row(call.work, box.id)
    call.add_audit_subjects("locker_site", box.site_id)
    return LockerBoxAnswer(box=record(LockerBox, row))


async def _answer(call: Call, cabinet_id: int) -> LockerCabinetAnswer:
    cabinet = await get_cabinet(call, cabinet_id)
    _, boxes = await box_store.list_box_rows(call.work, {"cabinet_id": cabinet.id}, limit=1, offset=0)
    call.add_audit_subjects("locker_site", cabinet.site_id)
    return LockerCabinetAnswer(cabinet=cabinet_record(call, cabinet), boxes=boxes)
