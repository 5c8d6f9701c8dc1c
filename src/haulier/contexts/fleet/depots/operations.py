"""Depots: list, show, create, change, close."""

from haulier.contexts.fleet.depots import store
from haulier.contexts.fleet.depots.contract import (
    CreateDepot,
    DepotAnswer,
    DepotDetail,
    DepotList,
    DepotRef,
    ListDepots,
    UpdateDepot,
)
from haulier.contexts.fleet.depots.store import DepotRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, STAFF, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record


@reads(
    "list_depots",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", "/v1/depots"), GraphQL("depots")),
)
async def list_depots(call: Call, request: ListDepots) -> DepotList:
    """List depots, by name."""
    rows, total = await store.list_depot_rows(
        call.work, closed=request.closed, limit=request.per_page, offset=request.offset
    )
    return DepotList(
        total=total, page=request.page, per_page=request.per_page, depots=[_serialize_depot(row) for row in rows]
    )


@reads(
    "get_depot",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", "/v1/depots/{depot_id}"), GraphQL("depot")),
)
async def get_depot(call: Call, request: DepotRef) -> DepotAnswer:
    """Get a depot."""
    return await _load_depot(call, request.depot_id)


@writes(
    "create_depot",
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/depots"), GraphQL("createDepot")),
)
async def create_depot(call: Call, request: CreateDepot) -> DepotAnswer:
    """Create a depot."""
    depot_id = await DepotRow.insert(call.work, **request.model_dump(), closed=False, created_at=call.now)
    call.add_audit_subjects("depot", depot_id)
    return await _load_depot(call, depot_id)


@writes(
    "update_depot",
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("PATCH", "/v1/depots/{depot_id}"), GraphQL("updateDepot")),
)
async def update_depot(call: Call, request: UpdateDepot) -> DepotAnswer:
    """Update a depot.

    Omitted fields are unchanged.
    """
    await DepotRow.update(call.work, request.depot_id, request.model_dump(exclude={"depot_id"}, exclude_none=True))
    call.add_audit_subjects("depot", request.depot_id)
    return await _load_depot(call, request.depot_id)


@writes(
    "close_depot",
    available_when={"closed": False},
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("DELETE", "/v1/depots/{depot_id}"), GraphQL("closeDepot")),
)
async def close_depot(call: Call, request: DepotRef) -> DepotAnswer:
    """Close a depot.

    Existing routes keep it. New routes cannot use it.
    """
    await DepotRow.update(call.work, request.depot_id, {"closed": True})
    call.add_audit_subjects("depot", request.depot_id)
    return await _load_depot(call, request.depot_id)


async def _load_depot(call: Call, depot_id: int) -> DepotAnswer:
    row = await DepotRow.get(call.work, depot_id)
    if row is None:
        raise NOT_FOUND()
    return DepotAnswer(depot=_serialize_depot(row))


def _serialize_depot(row: DepotRow) -> DepotDetail:
    return record(DepotDetail, row)
