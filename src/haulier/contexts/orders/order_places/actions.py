"""Locations of orders by their addresses. Unknown addresses go into the queue."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.orders.delivery_orders.actions.corrections import (
    UnlocatedEnd,
    list_unlocated_ends,
    write_order_places,
)
from haulier.contexts.orders.order_places import store
from haulier.contexts.places.public import LocatedPlace
from haulier.kernel.call import Call


async def place_ends(call: Call, ends: Sequence[UnlocatedEnd], places: Sequence[LocatedPlace | None]) -> None:
    """Write the coordinates of order ends.

    An end known only by its town goes into the queue, without coordinates.
    """
    found = dict(zip(ends, places, strict=True))
    # Read again: the address may have been corrected or pinned during the geocoder request.
    still = await list_unlocated_ends(call, {end.order_id for end in ends}, lock=True)
    known = {end: found[end] for end in still if end in found}
    exact = {(end.order_id, end.end): place for end, place in known.items() if place and place.quality.is_drivable}
    await write_places(call, {key: (place.lat, place.lng) for key, place in exact.items()})
    queued = [_queue_row(call, end, place) for end, place in known.items() if (end.order_id, end.end) not in exact]
    await store.write_unplaced_orders(call.work, queued)


async def write_places(call: Call, places: dict[tuple[int, str], tuple[float, float]]) -> None:
    """Write where ends of orders are, and take them out of the queue."""
    if places:
        await write_order_places(call, places)
        await store.update_end_places(call.work, places.keys())


def _queue_row(call: Call, end: UnlocatedEnd, place: LocatedPlace | None) -> dict[str, Any]:
    return {
        "order_id": end.order_id,
        "order_end": end.end,
        "reason": "rough" if place else "unknown",
        "lat": place and place.lat,
        "lng": place and place.lng,
        "quality": place and place.quality.value,
        "tried_at": call.now,
    }
