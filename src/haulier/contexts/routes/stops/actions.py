"""Writes of stops that other contexts call."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.routes.stops import store
from haulier.contexts.routes.stops.store import PlannedLeg
from haulier.kernel.call import Call


async def insert_stops(call: Call, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write planned stops. Raises `UniqueConflict` when an order already stands on a route."""
    await store.insert_stops(call.work, rows)


async def renumber_stops(call: Call, *sequences: Sequence[int]) -> None:
    """Number the stops of each route in the order of its sequence of ids, from 1."""
    await store.renumber_stops(call.work, *sequences)


async def update_stop_plans(call: Call, legs: Sequence[PlannedLeg]) -> None:
    """Write the planned times and distances of stops, of any number of routes."""
    await store.update_stop_plans(call.work, legs)
