"""Operations on the log of a vehicle."""

from datetime import date

from haulier.contexts.fleet.vehicle_log import store
from haulier.contexts.fleet.vehicle_log.contract import (
    AddVehicleLogEntry,
    ListVehicleLogEntries,
    VehicleLogEntry,
    VehicleLogEntryAnswer,
    VehicleLogEntryList,
    VehicleLogEntryRef,
)
from haulier.contexts.fleet.vehicle_log.rules import VehicleLogKind, is_in_order
from haulier.contexts.fleet.vehicles.queries import VehicleRow, get_visible_vehicle
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.operations.records import record

PLANNERS = OFFICE | {Account.CONTRACTOR}
PATH = "/v1/vehicles/{vehicle_id}/log-entries"


@writes(
    "add_vehicle_log_entry",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("POST", PATH, status=201), GraphQL("addVehicleLogEntry")),
)
async def add_vehicle_log_entry(call: Call, request: AddVehicleLogEntry) -> VehicleLogEntryAnswer:
    """Log a reading, service or repair.

    The latest reading is the odometer reading of the vehicle. A service replaces the planned one with the next.
    """
    vehicle = await get_visible_vehicle(call, request.vehicle_id, lock=True)
    day = request.done_on or call.today
    if day > call.today:
        raise INVALID_REQUEST.for_fields(FieldError("done_on", "field.log_entry_ahead"))
    if request.odometer_m is not None:
        await _check_reading(call, vehicle.id, day, request.odometer_m)
    entry_id = await store.VehicleLogRow.insert(
        call.work,
        **request.model_dump(include={"vehicle_id", "odometer_m", "cost_minor", "note"}),
        kind=request.kind.value,
        done_on=day,
        created_by=call.actor,
        created_at=call.now,
    )
    planned: dict[str, object] = {
        "next_service_on": request.next_service_on,
        "next_service_at_m": request.next_service_at_m,
    }
    is_service = request.kind is VehicleLogKind.SERVICE
    await _update_vehicle(call, vehicle.id, planned if is_service else {})
    row = await store.VehicleLogRow.get(call.work, entry_id)
    assert row is not None
    return VehicleLogEntryAnswer(log_entry=_serialize(call, row))


@reads(
    "list_vehicle_log_entries",
    audience=PLANNERS,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", PATH), GraphQL("vehicleLogEntries")),
)
async def list_vehicle_log_entries(call: Call, request: ListVehicleLogEntries) -> VehicleLogEntryList:
    """List the log of a vehicle.

    The newest entries come first.
    """
    await get_visible_vehicle(call, request.vehicle_id)
    kind = request.kind and request.kind.value
    rows, total = await store.list_log_rows(
        call.work, request.vehicle_id, kind, limit=request.per_page, offset=request.offset
    )
    entries = [_serialize(call, row) for row in rows]
    return VehicleLogEntryList(total=total, page=request.page, per_page=request.per_page, log_entries=entries)


@writes(
    "remove_vehicle_log_entry",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("DELETE", f"{PATH}/{{log_entry_id}}"), GraphQL("removeVehicleLogEntry")),
)
async def remove_vehicle_log_entry(call: Call, request: VehicleLogEntryRef) -> Done:
    """Remove an entry from a vehicle log.

    For example a wrong reading. The planned service is unchanged.
    """
    vehicle = await get_visible_vehicle(call, request.vehicle_id, lock=True)
    row = await store.VehicleLogRow.get(call.work, request.log_entry_id)
    if row is None or row.vehicle_id != vehicle.id:
        raise NOT_FOUND()
    await store.VehicleLogRow.delete(call.work, row.id)
    await _update_vehicle(call, vehicle.id, {})
    return Done(message=call.translate("vehicle_log_entry_removed"))


async def _check_reading(call: Call, vehicle_id: int, day: date, metres: int) -> None:
    """Refuse a reading below an earlier one or above a later one."""
    before, after = await store.get_neighbours(call.work, vehicle_id, day)
    if not is_in_order(metres, before, after):
        bounds = {"least": (before or 0) // 1000, "most": "∞" if after is None else after // 1000}
        raise INVALID_REQUEST.for_fields(FieldError("odometer_m", "field.odometer_order", bounds))


async def _update_vehicle(call: Call, vehicle_id: int, planned: dict[str, object]) -> None:
    """Write the latest reading, and the next service if given, to the locked vehicle."""
    latest = await store.get_latest_reading(call.work, vehicle_id)
    reading = {"odometer_m": latest and latest.odometer_m, "odometer_on": latest and latest.done_on}
    await VehicleRow.update(call.work, vehicle_id, {**reading, **planned})
    call.add_audit_subjects("vehicle", vehicle_id)


def _serialize(call: Call, row: store.VehicleLogRow) -> VehicleLogEntry:
    return record(VehicleLogEntry, row, created_at=call.local_time(row.created_at))
