"""Fillings: list, show, create, change, delete."""

from typing import Any

from haulier.contexts.warehouse.packing.contract.fillings import (
    CreateFilling,
    FillingAnswer,
    FillingList,
    FillingRef,
    FillingTerms,
    ListFillings,
    UpdateFilling,
)
from haulier.contexts.warehouse.packing.errors import FILLING_CODE_TAKEN
from haulier.contexts.warehouse.packing.queries import get_filling_row
from haulier.contexts.warehouse.packing.serializers import filling_record
from haulier.contexts.warehouse.packing.store import fillings as store
from haulier.contexts.warehouse.packing.store.tables import FillingRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

FILLINGS_PATH = "/v1/packing/fillings"
FILLING_PATH = f"{FILLINGS_PATH}/{{filling_id}}"


@reads(
    "list_fillings",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", FILLINGS_PATH), GraphQL("fillings")),
)
async def list_fillings(call: Call, request: ListFillings) -> FillingList:
    """List fillings of cartons by code."""
    rows, total = await store.list_filling_rows(
        call.work, inactive=request.inactive, limit=request.per_page, offset=request.offset
    )
    shown = [filling_record(call, row) for row in rows]
    return FillingList(total=total, page=request.page, per_page=request.per_page, fillings=shown)


@reads(
    "get_filling",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", FILLING_PATH), GraphQL("filling")),
    errors=(NOT_FOUND,),
)
async def get_filling(call: Call, request: FillingRef) -> FillingAnswer:
    """Show a filling."""
    return FillingAnswer(filling=filling_record(call, await get_filling_row(call, request.filling_id)))


@writes(
    "create_filling",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", FILLINGS_PATH), GraphQL("createFilling")),
    errors=(FILLING_CODE_TAKEN,),
)
async def create_filling(call: Call, request: CreateFilling) -> FillingAnswer:
    """Add a filling of cartons."""
    values = {**_values(call, request), "code": request.code, "created_at": call.now}
    try:
        async with call.work.savepoint():
            id = await FillingRow.insert(call.work, **values)
    except UniqueConflict:
        raise FILLING_CODE_TAKEN(code=request.code) from None
    return await _written(call, id, request)


@writes(
    "update_filling",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", FILLING_PATH), GraphQL("updateFilling")),
    errors=(NOT_FOUND,),
)
async def update_filling(call: Call, request: UpdateFilling) -> FillingAnswer:
    """Write a filling anew: what is left out has its default. Plans that were committed keep what they were made with."""
    await get_filling_row(call, request.filling_id)
    await FillingRow.update(call.work, request.filling_id, _values(call, request))
    return await _written(call, request.filling_id, request)


@writes(
    "delete_filling",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", FILLING_PATH), GraphQL("deleteFilling")),
    errors=(NOT_FOUND,),
)
async def delete_filling(call: Call, request: FillingRef) -> Done:
    """Delete a filling. Plans that were committed stay."""
    if not await FillingRow.delete(call.work, request.filling_id):
        raise record_not_found(filling_id=request.filling_id)
    call.add_audit_subjects("packing_filling", request.filling_id)
    return Done(message=call.translate("filling_deleted"))


def _values(call: Call, terms: FillingTerms) -> dict[str, Any]:
    plain = terms.model_dump(include=set(FillingTerms.model_fields) - {"by_default"})
    return {**plain, "default_since": call.now if terms.by_default else None, "updated_at": call.now}


async def _written(call: Call, filling_id: int, terms: FillingTerms) -> FillingAnswer:
    if terms.by_default:
        await store.make_only_default(call.work, filling_id)
    call.add_audit_subjects("packing_filling", filling_id)
    return FillingAnswer(filling=filling_record(call, await get_filling_row(call, filling_id)))
