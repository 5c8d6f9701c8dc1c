"""Vehicles as other contexts read them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from haulier.contexts.fleet.vehicles import store
from haulier.contexts.fleet.vehicles.store import VehicleRow
from haulier.kernel.call import Call


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
