"""Routes that drivers have on the day already: what is open on them, where the driver is, and what is in the vehicle."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from haulier.contexts.dispatch.planning.rules.question import Spot, Standing, Standings
from haulier.contexts.dispatch.planning.rules.states import Current
from haulier.contexts.dispatch.stops.rules import DONE, OPEN, StopKind, StopStatus


def standings(route: Any, stops: Sequence[Any], current: Current) -> Standings:
    """The open stops in order. Kept are those at which the driver is, those that people locked, and to extend, all."""
    return Standings(
        route_id=route.id,
        version=route.version,
        under_way=route.status == "started",
        stops=tuple(
            Standing(
                stop_id=stop.id,
                order_id=stop.order_id,
                kind=stop.kind,
                kept=current is Current.EXTEND or stop.status == StopStatus.ARRIVED or stop.locked_at is not None,
            )
            for stop in stops
            if stop.status in OPEN
        ),
    )


def whereabouts(stops: Iterable[Any], orders: Mapping[int, Any], loads: Mapping[int, Any]) -> Spot | None:
    """The place of the stop that ended last, as far as we heard; None before the first."""
    over = [stop for stop in stops if stop.ended_at is not None]
    if not over:
        return None
    last = max(over, key=lambda stop: stop.ended_at)
    if last.ended_lat is not None and last.ended_lng is not None:
        return last.ended_lat, last.ended_lng
    order, load = orders[last.order_id], loads[last.order_id]
    if last.kind == StopKind.PICKUP and load.pickup is not None:
        return load.pickup
    return None if order.lat is None or order.lng is None else (order.lat, order.lng)


def aboard_of(stops: Sequence[Any], orders: Mapping[int, Any], loads: Mapping[int, Any]) -> tuple[int, ...]:
    """What goes back to the depot whatever comes next: collected there for it, or not handed over.

    What is still to be delivered is not in it: it is carried until its stop.
    """
    open_orders = {stop.order_id for stop in stops if stop.status in OPEN}
    delivered = {stop.order_id for stop in stops if stop.kind == StopKind.DELIVERY and stop.status in DONE}
    back = {
        stop.order_id
        for stop in stops
        if stop.order_id not in open_orders | delivered and (_collected(stop) or _not_handed_over(stop))
    }
    rows = [(orders[id].weight_g, loads[id].volume_cm3, loads[id].parcels) for id in sorted(back)]
    return tuple(map(sum, zip(*rows, strict=True))) if rows else (0, 0, 0)


def _collected(stop: Any) -> bool:
    return stop.kind == StopKind.PICKUP and stop.status == StopStatus.COMPLETED and bool(stop.on_route)


def _not_handed_over(stop: Any) -> bool:
    return stop.kind == StopKind.DELIVERY and stop.status == StopStatus.FAILED
