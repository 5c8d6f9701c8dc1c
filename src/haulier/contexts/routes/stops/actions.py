"""Writes of stops, for the other families of this context and, through `public`, for other contexts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.routes.stops import store
from haulier.contexts.routes.stops.rules import StopStatus
from haulier.contexts.routes.stops.store import PlannedLeg
from haulier.kernel.call import Call


async def insert_stops(call: Call, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write planned stops, given by their columns. Raises `UniqueConflict` when an order already stands on a route."""
    await store.insert_stops(call.work, rows)


async def renumber_stops(call: Call, *sequences: Sequence[int]) -> None:
    """Number the stops of each route in the order of its sequence of ids, from 1."""
    await store.renumber_stops(call.work, *sequences)


async def update_stop_plans(call: Call, legs: Sequence[PlannedLeg]) -> None:
    """Write the planned times and distances of stops, of any number of routes."""
    await store.update_stop_plans(call.work, legs)


async def clear_stop_plans(call: Call, stop_ids: Collection[int]) -> None:
    """Remove the planned times and distances of stops whose order of visit changed."""
    await store.clear_stop_plans(call.work, stop_ids)


async def transfer_stops(call: Call, route_id: int, stop_ids: Collection[int]) -> None:
    """Move stops to another route. They keep their positions until `renumber_stops`."""
    await store.transfer_stops(call.work, route_id, stop_ids)


async def lock_stop_positions(call: Call, stop_ids: Collection[int]) -> None:
    """Lock stops in their positions, now and by the caller."""
    await store.set_stop_locks(call.work, stop_ids, at=call.now, by=call.actor)


async def unlock_stop_positions(call: Call, stop_ids: Collection[int]) -> None:
    """Remove the locks of stops."""
    await store.set_stop_locks(call.work, stop_ids, at=None, by=None)


async def delete_stops(call: Call, stop_ids: Collection[int]) -> None:
    """Delete stops that were planned and never visited."""
    await store.delete_stops(call.work, stop_ids)


async def update_stops(call: Call, stop_ids: Collection[int], status: StopStatus, **values: Any) -> None:
    """Set the status of these stops, and other columns, all alike."""
    if stop_ids:
        await store.update_stops(call.work, stop_ids, status=status, **values)


async def record_stop_arrival(call: Call, stop_id: int, status: StopStatus, at: datetime) -> None:
    """Write when the driver arrived at a stop, and the status that follows."""
    await update_stops(call, [stop_id], status, arrived_at=at, arrived_recorded_at=call.now)


async def detach_orders_from_route(call: Call, route_id: int, order_ids: Collection[int]) -> None:
    """Take orders off a route whose stops stay as history."""
    await store.detach_orders_from_route(call.work, route_id, order_ids)
