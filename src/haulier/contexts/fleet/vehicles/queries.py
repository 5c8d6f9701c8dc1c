"""Vehicles as other contexts read them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from haulier.contexts.fleet.vehicles import store
from haulier.contexts.fleet.vehicles.rules import SERVICE_NOTICE
from haulier.contexts.fleet.vehicles.store import VehicleRow, vehicles
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND

__all__ = ["VehicleRow", "vehicles"]


async def get_vehicle_rows(call: Call, vehicle_ids: Collection[int]) -> dict[int, VehicleRow]:
    """Vehicles of this client by id."""
    return await VehicleRow.get_many(call.work, vehicle_ids)


async def get_vehicle_row(call: Call, vehicle_id: int) -> VehicleRow | None:
    """A vehicle of this client, or None."""
    return await VehicleRow.get(call.work, vehicle_id)


async def list_vehicle_rows(
    call: Call, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[VehicleRow], int]:
    """Return a page of vehicles by name, and the number of matches.

    Filters: contractor, own, depot, skill, travel_mode, in_use.
    """
    return await store.list_vehicle_rows(call.work, filters, limit=limit, offset=offset)


async def get_visible_vehicle(call: Call, vehicle_id: int, *, lock: bool = False) -> VehicleRow:
    """Return a vehicle; contractors see only their own. Raises `NOT_FOUND`."""
    row = await (VehicleRow.lock if lock else VehicleRow.get)(call.work, vehicle_id)
    if row is None or (call.principal.account is Account.CONTRACTOR and row.contractor_id != call.actor):
        raise NOT_FOUND()
    return row


async def count_due_services(call: Call, contractor_id: int | None = None) -> int:
    """Return the number of vehicles in use with a service that is overdue or due soon."""
    own = {} if contractor_id is None else {"contractor": contractor_id}
    due = {"in_use": True, "service_until": call.today + SERVICE_NOTICE, **own}
    return await store.count_vehicle_rows(call.work, due)
