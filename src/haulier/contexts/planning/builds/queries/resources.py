"""The resources of a day: drivers with their profiles, vehicles, depots and open routes, in a few statements."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date

from haulier.contexts.fleet.public import (
    DepotRow,
    DriverRow,
    VehicleRow,
    get_depot_rows,
    get_driver_rows,
    get_vehicle_rows,
    get_working_profile_rows,
    list_depot_rows,
    list_driver_rows,
    list_vehicle_rows,
)
from haulier.contexts.planning.builds.contract.requests import MAX_BUILD_DRIVERS
from haulier.contexts.planning.builds.rules.shifts import DayResources
from haulier.contexts.routes.public import RouteRow, list_route_rows
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.warehouse.public import get_vehicle_bodies
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

OPEN_ROUTE_STATUSES = frozenset({RouteStatus.DRAFT, RouteStatus.ASSIGNED, RouteStatus.STARTED})
MAX_DAY_ROUTES = 5000


def get_planner_id(call: Call) -> int | None:
    """The contractor who plans (user id); None for the office."""
    return call.actor if call.principal.account is Account.CONTRACTOR else None


async def get_day_resources(
    call: Call,
    day: date,
    *,
    driver_ids: Collection[int] = (),
    vehicle_ids: Collection[int] = (),
    depot_ids: Collection[int] = (),
) -> DayResources:
    """The resources with these ids, or all of the caller's where none are named. Raises `INVALID_REQUEST` for an unknown id."""
    planner_id = get_planner_id(call)
    drivers = await _list_day_drivers(call, planner_id, driver_ids)
    vehicles = await _list_day_vehicles(call, {driver.contractor_id for driver in drivers}, vehicle_ids)
    return DayResources(
        day=day,
        zone=call.time_zone,
        now=call.now,
        drivers=drivers,
        profiles=await get_working_profile_rows(call, [driver.id for driver in drivers]),
        vehicles=vehicles,
        bodies=await get_vehicle_bodies(call, [vehicle.id for vehicle in vehicles]),
        depots=await _list_day_depots(call, depot_ids),
        routes=await _list_open_routes(call, day),
    )


async def _list_day_drivers(call: Call, planner_id: int | None, ids: Collection[int]) -> Sequence[DriverRow]:
    if not ids:
        owner = {"own": True} if planner_id is None else {"contractor": planner_id}
        rows, _ = await list_driver_rows(call, {**owner, "enabled": True}, limit=MAX_BUILD_DRIVERS, offset=0)
        return rows
    rows_by_id = await get_driver_rows(call, ids)
    visible = {id for id, row in rows_by_id.items() if planner_id is None or row.contractor_id == planner_id}
    _require_ids("driver_ids", ids, visible, "field.driver_unknown")
    return sorted(rows_by_id.values(), key=lambda row: (row.name, row.id))


async def _list_day_vehicles(call: Call, owners: Collection[int | None], ids: Collection[int]) -> Sequence[VehicleRow]:
    if not ids:
        rows, _ = await list_vehicle_rows(call, {"in_use": True}, limit=2 * MAX_BUILD_DRIVERS, offset=0)
        return [row for row in rows if row.contractor_id in owners]
    rows_by_id = await get_vehicle_rows(call, ids)
    usable = {id for id, row in rows_by_id.items() if row.contractor_id in owners and not row.retired_at}
    _require_ids("vehicle_ids", ids, usable, "field.vehicle_unknown")
    return sorted(rows_by_id.values(), key=lambda row: (row.name, row.id))


async def _list_day_depots(call: Call, ids: Collection[int]) -> Sequence[DepotRow]:
    if not ids:
        return (await list_depot_rows(call, closed=False, limit=MAX_BUILD_DRIVERS, offset=0))[0]
    rows_by_id = await get_depot_rows(call, ids)
    _require_ids("depot_ids", ids, {id for id, row in rows_by_id.items() if not row.closed}, "field.depot_unknown")
    return sorted(rows_by_id.values(), key=lambda row: (row.name, row.id))


async def _list_open_routes(call: Call, day: date) -> dict[int, list[RouteRow]]:
    rows, _ = await list_route_rows(call, {"since": day, "until": day}, limit=MAX_DAY_ROUTES, offset=0)
    by_driver: defaultdict[int, list[RouteRow]] = defaultdict(list)
    for row in rows:
        if row.driver_id is not None and row.status in OPEN_ROUTE_STATUSES:
            by_driver[row.driver_id].append(row)
    return by_driver


def _require_ids(field: str, ids: Collection[int], usable: Collection[int], code: str) -> None:
    field_errors = [FieldError(f"{field}.{place}", code) for place, id in enumerate(ids) if id not in usable]
    if field_errors:
        raise INVALID_REQUEST.for_fields(*field_errors)
