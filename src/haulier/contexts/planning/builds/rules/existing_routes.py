"""Routes that drivers have on the day already: what is open on them, where the driver is, and what is in the vehicle."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from haulier.contexts.planning.builds.rules.lifecycle import ExistingRouteMode
from haulier.contexts.planning.builds.rules.planning_input import ExistingRoute, ExistingStop, PlaceCoordinates
from haulier.contexts.routes.stops.rules import OPEN, SUCCESSFUL, StopKind, StopStatus


def existing_route(route: Any, stops: Sequence[Any], current: ExistingRouteMode) -> ExistingRoute:
    """The open stops in order. Kept are those at which the driver is, those that people locked, and to extend, all."""
    return ExistingRoute(
        route_id=route.id,
        version=route.version,
        under_way=route.status == "started",
        stops=tuple(
            ExistingStop(
                stop_id=stop.id,
                order_id=stop.order_id,
                kind=stop.kind,
                kept=current is ExistingRouteMode.EXTEND
                or stop.status == StopStatus.ARRIVED
                or stop.locked_at is not None,
            )
            for stop in stops
            if stop.status in OPEN
        ),
    )


def last_known_place(
    stops: Iterable[Any], orders: Mapping[int, Any], loads: Mapping[int, Any]
) -> PlaceCoordinates | None:
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


def load_to_bring_back(stops: Sequence[Any], orders: Mapping[int, Any], loads: Mapping[int, Any]) -> tuple[int, ...]:
    """What goes back to the depot whatever comes next: collected there for it, or not handed over.

    What is still to be delivered is not in it: it is carried until its stop.
    """
    open_orders = {stop.order_id for stop in stops if stop.status in OPEN}
    delivered = {stop.order_id for stop in stops if stop.kind == StopKind.DELIVERY and stop.status in SUCCESSFUL}
    back = {
        stop.order_id
        for stop in stops
        if stop.order_id not in open_orders | delivered and (_collected(stop) or _failed_delivery(stop))
    }
    rows = [(orders[id].weight_g, loads[id].volume_cm3, loads[id].parcels) for id in sorted(back)]
    return tuple(map(sum, zip(*rows, strict=True))) if rows else (0, 0, 0)


def _collected(stop: Any) -> bool:
    return stop.kind == StopKind.PICKUP and stop.status == StopStatus.COMPLETED and bool(stop.on_route)


def _failed_delivery(stop: Any) -> bool:
    return stop.kind == StopKind.DELIVERY and stop.status == StopStatus.FAILED
