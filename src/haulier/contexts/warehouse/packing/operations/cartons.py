"""Kinds of cartons: list, show, create, change, delete."""

from haulier.contexts.warehouse.packing.contract.cartons import (
    CartonAnswer,
    CartonList,
    CartonRef,
    CartonTerms,
    CreateCarton,
    ListCartons,
    UpdateCarton,
)
from haulier.contexts.warehouse.packing.errors import CARTON_CODE_TAKEN
from haulier.contexts.warehouse.packing.queries import get_carton_row
from haulier.contexts.warehouse.packing.serializers import carton_record
from haulier.contexts.warehouse.packing.store import plans as store
from haulier.contexts.warehouse.packing.store.tables import CartonRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found

CARTONS_PATH = "/v1/packing/cartons"
CARTON_PATH = f"{CARTONS_PATH}/{{carton_id}}"


@reads(
    "list_cartons",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", CARTONS_PATH), GraphQL("cartons")),
)
async def list_cartons(call: Call, request: ListCartons) -> CartonList:
    """List kinds of cartons by code."""
    rows, total = await store.list_carton_rows(
        call.work, inactive=request.inactive, limit=request.per_page, offset=request.offset
    )
    shown = [carton_record(call, row) for row in rows]
    return CartonList(total=total, page=request.page, per_page=request.per_page, cartons=shown)


@reads(
    "get_carton",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", CARTON_PATH), GraphQL("carton")),
    errors=(NOT_FOUND,),
)
async def get_carton(call: Call, request: CartonRef) -> CartonAnswer:
    """Show a kind of carton."""
    return CartonAnswer(carton=carton_record(call, await get_carton_row(call, request.carton_id)))


@writes(
    "create_carton",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", CARTONS_PATH), GraphQL("createCarton")),
    errors=(CARTON_CODE_TAKEN,),
)
async def create_carton(call: Call, request: CreateCarton) -> CartonAnswer:
    """Add a kind of carton."""
    _require_walls(request)
    values = request.model_dump(include={*CartonTerms.model_fields, "code"})
    try:
        async with call.work.savepoint():
            id = await CartonRow.insert(call.work, **values, created_at=call.now, updated_at=call.now)
    except UniqueConflict:
        raise CARTON_CODE_TAKEN(code=request.code) from None
    call.add_audit_subjects("carton", id)
    return CartonAnswer(carton=carton_record(call, await get_carton_row(call, id)))


@writes(
    "update_carton",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", CARTON_PATH), GraphQL("updateCarton")),
    errors=(NOT_FOUND,),
)
async def update_carton(call: Call, request: UpdateCarton) -> CartonAnswer:
    """Write a kind of carton anew: what is left out has its default. Plans that were committed keep the old sizes."""
    await get_carton_row(call, request.carton_id)
    _require_walls(request)
    values = {**request.model_dump(include=set(CartonTerms.model_fields)), "updated_at": call.now}
    await store.update_carton_row(call.work, request.carton_id, values)
    call.add_audit_subjects("carton", request.carton_id)
    return CartonAnswer(carton=carton_record(call, await get_carton_row(call, request.carton_id)))


@writes(
    "delete_carton",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", CARTON_PATH), GraphQL("deleteCarton")),
    errors=(NOT_FOUND,),
)
async def delete_carton(call: Call, request: CartonRef) -> Done:
    """Delete a kind of carton. Plans that were committed stay."""
    if not await CartonRow.delete(call.work, request.carton_id):
        raise record_not_found(carton_id=request.carton_id)
    call.add_audit_subjects("carton", request.carton_id)
    return Done(message=call.translate("carton_deleted"))


def _require_walls(terms: CartonTerms) -> None:
    thin = [
        FieldError(f"outer_{edge}_mm", "field.carton_walls")
        for edge in ("length", "width", "height")
        if getattr(terms, f"outer_{edge}_mm") < getattr(terms, f"inner_{edge}_mm")
    ]
    if thin:
        raise INVALID_REQUEST.for_fields(*thin)
