"""Routes that drivers have on the day already: their open stops, where the driver is, and what is in the vehicle."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from haulier.contexts.planning.builds.rules.lifecycle import ExistingRouteMode
from haulier.contexts.planning.builds.rules.planning_input import ExistingRoute, ExistingStop, PlaceCoordinates
from haulier.contexts.routes.stops.rules import OPEN, SUCCESSFUL, StopKind, StopStatus

if TYPE_CHECKING:  # Why: rules do no I/O, and the `public` modules that declare the rows import stores.
    from haulier.contexts.orders.public import OrderFacts, OrderLoad
    from haulier.contexts.routes.public import RouteRow, StopRow


def existing_route(route: "RouteRow", stops: "Sequence[StopRow]", current: ExistingRouteMode) -> ExistingRoute:
    """A route with its open stops in order. Kept are the stop where the driver is, locked ones, and with `extend` all."""
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
    stops: "Iterable[StopRow]", orders: "Mapping[int, OrderFacts]", loads: "Mapping[int, OrderLoad]"
) -> PlaceCoordinates | None:
    """The place of the stop that ended last, as far as reported; None before the first."""
    ended = [(stop.ended_at, stop) for stop in stops if stop.ended_at is not None]
    if not ended:
        return None
    _, last = max(ended, key=lambda pair: pair[0])
    if last.ended_lat is not None and last.ended_lng is not None:
        return last.ended_lat, last.ended_lng
    order, load = orders[last.order_id], loads[last.order_id]
    if last.kind == StopKind.PICKUP and load.pickup is not None:
        return load.pickup
    return None if order.lat is None or order.lng is None else (order.lat, order.lng)


def load_to_bring_back(
    stops: "Sequence[StopRow]", orders: "Mapping[int, OrderFacts]", loads: "Mapping[int, OrderLoad]"
) -> tuple[int, ...]:
    """The load that goes back to the depot in any case: collected for it, or not delivered.

    Orders that are still to be delivered are not in it.
    """
    open_orders = {stop.order_id for stop in stops if stop.status in OPEN}
    delivered = {stop.order_id for stop in stops if stop.kind == StopKind.DELIVERY and stop.status in SUCCESSFUL}
    returning = {
        stop.order_id
        for stop in stops
        if stop.order_id not in open_orders | delivered and (_collected(stop) or _failed_delivery(stop))
    }
    rows = [(orders[id].weight_g, loads[id].volume_cm3, loads[id].parcels) for id in sorted(returning)]
    return tuple(map(sum, zip(*rows, strict=True))) if rows else (0, 0, 0)


def _collected(stop: "StopRow") -> bool:
    return stop.kind == StopKind.PICKUP and stop.status == StopStatus.COMPLETED and bool(stop.on_route)


def _failed_delivery(stop: "StopRow") -> bool:
    return stop.kind == StopKind.DELIVERY and stop.status == StopStatus.FAILED
