"""What there is on a day: drivers with their profiles, vehicles, depots and open routes, read in a few statements."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date
from typing import Any

from haulier.contexts.fleet.depots import store as depot_store
from haulier.contexts.fleet.drivers import store as driver_store
from haulier.contexts.fleet.shifts import store as profile_store
from haulier.contexts.fleet.vehicles import store as fleet_store
from haulier.contexts.planning.builds.contract.requests import MAX_BUILD_DRIVERS
from haulier.contexts.planning.builds.rules.shifts import DayResources
from haulier.contexts.routes.routes import store as route_store
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

OPEN_ROUTE_STATUSES = frozenset({RouteStatus.DRAFT, RouteStatus.ASSIGNED, RouteStatus.STARTED})
MAX_DAY_ROUTES = 5000


def get_planner_id(call: Call) -> int | None:
    """The contractor who plans; None for the office."""
    return call.actor if call.principal.account is Account.CONTRACTOR else None


async def get_day_resources(
    call: Call,
    day: date,
    *,
    driver_ids: Collection[int] = (),
    vehicle_ids: Collection[int] = (),
    depot_ids: Collection[int] = (),
) -> DayResources:
    """Everything of these ids, or all there is. Raises `INVALID_REQUEST` for one that there is not for the caller."""
    planner_id = get_planner_id(call)
    drivers = await _list_day_drivers(call, planner_id, driver_ids)
    owners = {driver.contractor_id for driver in drivers}
    return DayResources(
        day=day,
        zone=call.time_zone,
        now=call.now,
        drivers=drivers,
        profiles=await profile_store.get_working_profile_rows(call.work, [driver.id for driver in drivers]),
        vehicles=await _list_day_vehicles(call, owners, vehicle_ids),
        depots=await _list_day_depots(call, depot_ids),
        routes=await _list_open_routes(call, day),
    )


async def _list_day_drivers(call: Call, planner_id: int | None, ids: Collection[int]) -> Sequence[Any]:
    if not ids:
        owner = {"own": True} if planner_id is None else {"contractor": planner_id}
        rows, _ = await driver_store.list_driver_rows(
            call.work, {**owner, "enabled": True}, limit=MAX_BUILD_DRIVERS, offset=0
        )
        return rows
    found = await driver_store.get_driver_rows(call.work, ids)
    seen = {id for id, row in found.items() if planner_id is None or row.contractor_id == planner_id}
    _require_ids("driver_ids", ids, seen, "field.driver_unknown")
    return sorted(found.values(), key=lambda row: (row.name, row.id))


async def _list_day_vehicles(call: Call, owners: Collection[int | None], ids: Collection[int]) -> Sequence[Any]:
    if not ids:
        rows, _ = await fleet_store.list_vehicle_rows(
            call.work, {"in_use": True}, limit=2 * MAX_BUILD_DRIVERS, offset=0
        )
        return [row for row in rows if row.contractor_id in owners]
    found = await fleet_store.get_vehicle_rows(call.work, ids)
    usable = {id for id, row in found.items() if row.contractor_id in owners and not row.retired_at}
    _require_ids("vehicle_ids", ids, usable, "field.vehicle_unknown")
    return sorted(found.values(), key=lambda row: (row.name, row.id))


async def _list_day_depots(call: Call, ids: Collection[int]) -> Sequence[Any]:
    if not ids:
        return (await depot_store.list_depot_rows(call.work, closed=False, limit=MAX_BUILD_DRIVERS, offset=0))[0]
    found = await depot_store.get_depot_rows(call.work, ids)
    _require_ids("depot_ids", ids, {id for id, row in found.items() if not row.closed}, "field.depot_unknown")
    return sorted(found.values(), key=lambda row: (row.name, row.id))


async def _list_open_routes(call: Call, day: date) -> dict[int, list[Any]]:
    rows, _ = await route_store.list_route_rows(call.work, {"since": day, "until": day}, limit=MAX_DAY_ROUTES, offset=0)
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for row in rows:
        if row.driver_id is not None and row.status in OPEN_ROUTE_STATUSES:
            found[row.driver_id].append(row)
    return found


def _require_ids(field: str, asked: Collection[int], found: Collection[int], code: str) -> None:
    faults = [FieldError(f"{field}.{place}", code) for place, id in enumerate(asked) if id not in found]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
