"""Load spaces: list, show, create, change, delete."""

from typing import Any

from haulier.contexts.fleet.public import get_vehicle_rows
from haulier.contexts.warehouse.load_plans.contract.spaces import (
    CreateLoadSpace,
    ListLoadSpaces,
    LoadSpaceAnswer,
    LoadSpaceList,
    LoadSpaceRef,
    LoadSpaceTerms,
    UpdateLoadSpace,
)
from haulier.contexts.warehouse.load_plans.errors import LOAD_SPACE_CODE_TAKEN
from haulier.contexts.warehouse.load_plans.queries import get_load_space_row, get_space_vehicles
from haulier.contexts.warehouse.load_plans.rules.problems import space_faults, space_layout
from haulier.contexts.warehouse.load_plans.serializers import load_space_record
from haulier.contexts.warehouse.load_plans.store import plans as store
from haulier.contexts.warehouse.load_plans.store.tables import LoadSpaceRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found

SPACES_PATH = "/v1/loading/spaces"
SPACE_PATH = f"{SPACES_PATH}/{{load_space_id}}"
NOT_COLUMNS = {"doors", "obstacles", "axles", "balance", "reach", "vehicle_ids"}


@reads(
    "list_load_spaces",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", SPACES_PATH), GraphQL("loadSpaces")),
)
async def list_load_spaces(call: Call, request: ListLoadSpaces) -> LoadSpaceList:
    """List load spaces by code."""
    rows, total = await store.list_load_space_rows(
        call.work, inactive=request.inactive, limit=request.per_page, offset=request.offset
    )
    vehicles = await get_space_vehicles(call, [row.id for row in rows])
    shown = [load_space_record(call, row, vehicles[row.id]) for row in rows]
    return LoadSpaceList(total=total, page=request.page, per_page=request.per_page, load_spaces=shown)


@reads(
    "get_load_space",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", SPACE_PATH), GraphQL("loadSpace")),
    errors=(NOT_FOUND,),
)
async def get_load_space(call: Call, request: LoadSpaceRef) -> LoadSpaceAnswer:
    """Show a load space."""
    return await _load_space(call, request.load_space_id)


@writes(
    "create_load_space",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", SPACES_PATH), GraphQL("createLoadSpace")),
    errors=(LOAD_SPACE_CODE_TAKEN,),
)
async def create_load_space(call: Call, request: CreateLoadSpace) -> LoadSpaceAnswer:
    """Add a vehicle body, trailer, container, pallet or aircraft unit that plans may load."""
    values = await _values(call, request)
    try:
        async with call.work.savepoint():
            id = await LoadSpaceRow.insert(
                call.work, **values, code=request.code, created_at=call.now, updated_at=call.now
            )
    except UniqueConflict:
        raise LOAD_SPACE_CODE_TAKEN(code=request.code) from None
    await store.set_space_vehicles(call.work, id, request.vehicle_ids)
    call.add_audit_subjects("load_space", id)
    return await _load_space(call, id)


@writes(
    "update_load_space",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", SPACE_PATH), GraphQL("updateLoadSpace")),
    errors=(NOT_FOUND,),
)
async def update_load_space(call: Call, request: UpdateLoadSpace) -> LoadSpaceAnswer:
    """Write a load space anew: what is left out has its default. Plans that were committed keep the old sizes."""
    await get_load_space_row(call, request.load_space_id)
    values = await _values(call, request)
    await LoadSpaceRow.update(call.work, request.load_space_id, {**values, "updated_at": call.now})
    await store.set_space_vehicles(call.work, request.load_space_id, request.vehicle_ids)
    call.add_audit_subjects("load_space", request.load_space_id)
    return await _load_space(call, request.load_space_id)


@writes(
    "delete_load_space",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", SPACE_PATH), GraphQL("deleteLoadSpace")),
    errors=(NOT_FOUND,),
)
async def delete_load_space(call: Call, request: LoadSpaceRef) -> Done:
    """Delete a load space. Plans that were committed stay."""
    if not await store.delete_load_space_row(call.work, request.load_space_id):
        raise record_not_found(load_space_id=request.load_space_id)
    call.add_audit_subjects("load_space", request.load_space_id)
    return Done(message=call.translate("load_space_deleted"))


async def _load_space(call: Call, load_space_id: int) -> LoadSpaceAnswer:
    row = await get_load_space_row(call, load_space_id)
    vehicles = await get_space_vehicles(call, [row.id])
    return LoadSpaceAnswer(load_space=load_space_record(call, row, vehicles[row.id]))


async def _values(call: Call, terms: LoadSpaceTerms) -> dict[str, Any]:
    faults = space_faults(terms)
    known = await get_vehicle_rows(call, terms.vehicle_ids) if terms.vehicle_ids else {}
    faults += [
        FieldError(f"vehicle_ids.{place}", "field.vehicle_unknown")
        for place, id in enumerate(sorted(terms.vehicle_ids))
        if id not in known
    ]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
    plain = terms.model_dump(include=set(LoadSpaceTerms.model_fields) - NOT_COLUMNS)
    return {**plain, "layout": space_layout(terms)}
