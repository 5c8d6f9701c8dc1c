"""Writes of stops, for this context and, through `public`, for other contexts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.routes.stops import store
from haulier.contexts.routes.stops.rules import StopDispute, StopStatus
from haulier.contexts.routes.stops.store import PlannedLeg
from haulier.kernel.call import Call


async def insert_stops(call: Call, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert planned stops, given by their columns.

    Raises `UniqueConflict` if an order is already on a route.
    """
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


async def detach_stops(call: Call, stop_ids: Collection[int]) -> None:
    """Take stops off their route as history: their orders may stand on another one."""
    await store.detach_stops(call.work, stop_ids)


async def hand_over_stops(
    call: Call, route_id: int, from_route_id: int, stop_ids: Collection[int], *, over: Collection[int]
) -> None:
    """Move stops of a route under way to another, where they are open.

    Those in `over` keep their status.
    """
    origin = {"handed_over_at": call.now, "handed_over_from": from_route_id}
    await store.update_stops(call.work, stop_ids, route_id=route_id, locked_at=None, locked_by=None, **origin)
    await clear_stop_plans(call, stop_ids)
    await update_stops(call, [id for id in stop_ids if id not in over], StopStatus.PLANNED, **NOT_VISITED)


async def mark_stop_disputed(call: Call, stop_id: int, dispute: StopDispute) -> None:
    """Note what is disputed about a stop."""
    await store.update_stops(call.work, [stop_id], dispute=dispute.value)


async def store_disputed_proof(call: Call, stop_id: int, proof: Mapping[str, Any], note: str | None) -> None:
    """Keep what was shown for a delivery that does not count; the stop stays as it is."""
    await store.update_stops(call.work, [stop_id], proof=dict(proof), note=note)


async def reopen_stop(call: Call, stop_id: int, **values: Any) -> None:
    """Make a stop one that is still to be visited. `values` are other columns to set."""
    cleared = {"outcome": None, "return_reason": None, "proof": None, "dispute": None, **NOT_VISITED}
    await update_stops(call, [stop_id], StopStatus.PLANNED, **cleared, **values)


NOT_VISITED: dict[str, Any] = dict.fromkeys(
    (
        "arrived_at",
        "arrived_recorded_at",
        "ended_at",
        "ended_recorded_at",
        "ended_by",
        "ended_lat",
        "ended_lng",
        "ended_distance_m",
        "reason",
        "note",
    )
)
"""The columns of a visit, before it."""


async def detach_orders_from_route(call: Call, route_id: int, order_ids: Collection[int]) -> None:
    """Take orders off a route whose stops stay as history."""
    await store.detach_orders_from_route(call.work, route_id, order_ids)
