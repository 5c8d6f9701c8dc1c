"""Stops that nobody has to visit any more, because the order was cancelled or the route given up."""

from collections.abc import Collection, Sequence

from haulier.contexts.routes.routes.queries import to_stop_states
from haulier.contexts.routes.routes.rules.progress import orders_not_loaded
from haulier.contexts.routes.stops.actions import detach_stops, update_stops
from haulier.contexts.routes.stops.queries import StopRow
from haulier.contexts.routes.stops.rules import OPEN, StopCancelReason, StopStatus
from haulier.kernel.call import Call


async def cancel_open_stops(
    call: Call,
    stops: Sequence[StopRow],
    why: StopCancelReason,
    *,
    order_ids: Collection[int] | None = None,
    note: str | None = None,
) -> tuple[set[int], set[int]]:
    """Cancel the open stops of a route under way, or those of some orders. `stops` are all stops of the route.

    Returns the orders that are aboard, and so stay on the route until they are brought back, and those that are not.
    """
    leaving = [stop for stop in stops if stop.status in OPEN and (order_ids is None or stop.order_id in order_ids)]
    if not leaving:
        return set(), set()
    elsewhere = orders_not_loaded(to_stop_states(leaving))
    await update_stops(
        call,
        [stop.id for stop in leaving],
        StopStatus.CANCELLED,
        reason=why.value,
        note=note,
        to_load=False,
        ended_at=call.now,
        ended_recorded_at=call.now,
        ended_by=call.actor,
    )
    await detach_stops(call, [stop.id for stop in leaving if stop.order_id in elsewhere])
    return {stop.order_id for stop in leaving} - elsewhere, elsewhere
