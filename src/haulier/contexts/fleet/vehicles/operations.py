"""Vehicles: list, show, create, change, retire."""

from haulier.contexts.fleet.depots.queries import get_depot_row
from haulier.contexts.fleet.vehicles import store
from haulier.contexts.fleet.vehicles.contract import (
    CreateVehicle,
    ListVehicles,
    UpdateVehicle,
    VehicleAnswer,
    VehicleDetail,
    VehicleList,
    VehicleRef,
)
from haulier.contexts.fleet.vehicles.queries import get_visible_vehicle
from haulier.contexts.fleet.vehicles.rules import SERVICE_NOTICE, service_state
from haulier.contexts.identity.public import get_user_of_account
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.operations.records import record

PLANNERS = OFFICE | {Account.CONTRACTOR}
CLEARABLE = {
    *("plate", "depot_id", "capacity_weight_g", "capacity_volume_cm3", "capacity_parcels"),
    *("max_stops", "max_distance_m", "max_time_s", "next_service_on", "next_service_at_m"),
}
PATH = "/v1/vehicles/{vehicle_id}"


@reads(
    "list_vehicles",
    audience=PLANNERS,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", "/v1/vehicles"), GraphQL("vehicles")),
)
async def list_vehicles(call: Call, request: ListVehicles) -> VehicleList:
    """List vehicles, by name.

    A contractor sees only their own.
    """
    contractor = call.principal.account is Account.CONTRACTOR
    filters = {
        "contractor": call.actor if contractor else request.contractor_id,
        "depot": request.depot_id,
        "skill": request.skill,
        "travel_mode": request.travel_mode,
        "in_use": None if request.retired else True,
        "service_until": call.today + SERVICE_NOTICE if request.service_due else None,
    }
    present = {name: value for name, value in filters.items() if value is not None}
    rows, total = await store.list_vehicle_rows(call.work, present, limit=request.per_page, offset=request.offset)
    vehicles = [_serialize_vehicle(call, row) for row in rows]
    return VehicleList(total=total, page=request.page, per_page=request.per_page, vehicles=vehicles)


@reads(
    "get_vehicle",
    audience=PLANNERS,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", PATH), GraphQL("vehicle")),
)
async def get_vehicle(call: Call, request: VehicleRef) -> VehicleAnswer:
    """Get a vehicle."""
    return VehicleAnswer(vehicle=_serialize_vehicle(call, await get_visible_vehicle(call, request.vehicle_id)))


@writes(
    "create_vehicle",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/vehicles"), GraphQL("createVehicle")),
)
async def create_vehicle(call: Call, request: CreateVehicle) -> VehicleAnswer:
    """Create a vehicle.

    The vehicle belongs to the business or to a contractor.
    """
    contractor_id = call.actor if call.principal.account is Account.CONTRACTOR else request.contractor_id
    if contractor_id and not await get_user_of_account(call, contractor_id, Account.CONTRACTOR):
        raise INVALID_REQUEST.for_fields(FieldError("contractor_id", "field.contractor_unknown"))
    await _check_depot(call, request.depot_id)
    values = request.model_dump(exclude={"contractor_id"})
    vehicle_id = await store.insert_vehicle(call.work, **values, contractor_id=contractor_id, created_at=call.now)
    return await _load_vehicle(call, vehicle_id)


@writes(
    "update_vehicle",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("PATCH", PATH), GraphQL("updateVehicle")),
)
async def update_vehicle(call: Call, request: UpdateVehicle) -> VehicleAnswer:
    """Update a vehicle.

    Omitted fields are unchanged. Existing plans keep the values that they were built with.
    """
    await get_visible_vehicle(call, request.vehicle_id)
    await _check_depot(call, request.depot_id)
    named = request.model_dump(include=request.model_fields_set - {"vehicle_id"})
    changed = {name: value for name, value in named.items() if value is not None or name in CLEARABLE}
    await store.update_vehicle_row(call.work, request.vehicle_id, changed)
    return await _load_vehicle(call, request.vehicle_id)


@writes(
    "retire_vehicle",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("DELETE", PATH), GraphQL("retireVehicle")),
)
async def retire_vehicle(call: Call, request: VehicleRef) -> VehicleAnswer:
    """Retire a vehicle.

    New plans do not use it. Repeating it changes nothing.
    """
    row = await get_visible_vehicle(call, request.vehicle_id)
    if row.retired_at is None:
        await store.update_vehicle_row(call.work, row.id, {"retired_at": call.now})
    return await _load_vehicle(call, row.id)


async def _check_depot(call: Call, depot_id: int | None) -> None:
    depot = await get_depot_row(call, depot_id) if depot_id is not None else None
    if depot_id is not None and (depot is None or depot.closed):
        raise INVALID_REQUEST.for_fields(FieldError("depot_id", "field.depot_unknown"))


async def _load_vehicle(call: Call, vehicle_id: int) -> VehicleAnswer:
    call.add_audit_subjects("vehicle", vehicle_id)
    return VehicleAnswer(vehicle=_serialize_vehicle(call, await get_visible_vehicle(call, vehicle_id)))


def _serialize_vehicle(call: Call, row: store.VehicleRow) -> VehicleDetail:
    return record(
        VehicleDetail,
        row,
        service_state=service_state(row.next_service_on, row.next_service_at_m, row.odometer_m, call.today),
        retired_at=call.local_time(row.retired_at),
        created_at=call.local_time(row.created_at),
    )
