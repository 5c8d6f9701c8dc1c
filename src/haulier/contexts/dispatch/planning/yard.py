"""What there is on a day: drivers with their profiles, vehicles, depots and open routes, read in a few statements."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date
from typing import Any

from haulier.contexts.dispatch.depots import store as depot_store
from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.drivers.working import store as profile_store
from haulier.contexts.dispatch.fleets import store as fleet_store
from haulier.contexts.dispatch.planning.asking import CREWS_MOST
from haulier.contexts.dispatch.planning.rules.crewing import Yard
from haulier.contexts.dispatch.routes import store as route_store
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account
from haulier.kernel.errors import INVALID_REQUEST, Fault

OPEN_ROUTES = frozenset({RouteStatus.DRAFT, RouteStatus.ASSIGNED, RouteStatus.STARTED})
ROUTES_MOST = 5000


def planner_of(call: Call) -> int | None:
    """The contractor who plans; None for the office."""
    return call.actor if call.principal.account is Account.CONTRACTOR else None


async def yard_of(
    call: Call,
    day: date,
    *,
    driver_ids: Collection[int] = (),
    vehicle_ids: Collection[int] = (),
    depot_ids: Collection[int] = (),
) -> Yard:
    """Everything of these ids, or all there is. Raises `INVALID_REQUEST` for one that there is not for the caller."""
    planner_id = planner_of(call)
    drivers = await _drivers(call, planner_id, driver_ids)
    owners = {driver.contractor_id for driver in drivers}
    return Yard(
        day=day,
        zone=call.time_zone,
        now=call.now,
        drivers=drivers,
        profiles=await profile_store.some(call.work, [driver.id for driver in drivers]),
        vehicles=await _vehicles(call, owners, vehicle_ids),
        depots=await _depots(call, depot_ids),
        routes=await _routes(call, day),
    )


async def _drivers(call: Call, planner_id: int | None, ids: Collection[int]) -> Sequence[Any]:
    if not ids:
        owner = {"own": True} if planner_id is None else {"contractor": planner_id}
        rows, _ = await driver_store.page(call.work, {**owner, "enabled": True}, limit=CREWS_MOST, offset=0)
        return rows
    found = await driver_store.some(call.work, ids)
    seen = {id for id, row in found.items() if planner_id is None or row.contractor_id == planner_id}
    _must_be_there("driver_ids", ids, seen, "field.driver_unknown")
    return sorted(found.values(), key=lambda row: (row.name, row.id))


async def _vehicles(call: Call, owners: Collection[int | None], ids: Collection[int]) -> Sequence[Any]:
    if not ids:
        rows, _ = await fleet_store.page(call.work, {"in_use": True}, limit=2 * CREWS_MOST, offset=0)
        return [row for row in rows if row.contractor_id in owners]
    found = await fleet_store.some(call.work, ids)
    usable = {id for id, row in found.items() if row.contractor_id in owners and not row.retired_at}
    _must_be_there("vehicle_ids", ids, usable, "field.vehicle_unknown")
    return sorted(found.values(), key=lambda row: (row.name, row.id))


async def _depots(call: Call, ids: Collection[int]) -> Sequence[Any]:
    if not ids:
        return (await depot_store.page(call.work, closed=False, limit=CREWS_MOST, offset=0))[0]
    found = await depot_store.some(call.work, ids)
    _must_be_there("depot_ids", ids, {id for id, row in found.items() if not row.closed}, "field.depot_unknown")
    return sorted(found.values(), key=lambda row: (row.name, row.id))


async def _routes(call: Call, day: date) -> dict[int, list[Any]]:
    rows, _ = await route_store.page(call.work, {"since": day, "until": day}, limit=ROUTES_MOST, offset=0)
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for row in rows:
        if row.driver_id is not None and row.status in OPEN_ROUTES:
            found[row.driver_id].append(row)
    return found


def _must_be_there(field: str, asked: Collection[int], found: Collection[int], code: str) -> None:
    faults = [Fault(f"{field}.{place}", code) for place, id in enumerate(asked) if id not in found]
    if faults:
        raise INVALID_REQUEST.at(*faults)
