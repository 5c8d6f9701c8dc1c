"""The progress of a route, and the actions that are allowed next. Apps show buttons for these only."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from haulier.contexts.routes.routes.rules.permissions import (
    FORBIDDEN_WHEN_LOCKED,
    RouteState,
    RouteViewer,
    may_act_on_route,
)
from haulier.contexts.routes.routes.rules.state_machine import RouteAction, RouteStatus, next_route_status
from haulier.contexts.routes.stops.rules import OPEN, StopAction, StopKind, StopStatus, possible_stop_actions
from haulier.kernel.operations.errors import OperationError, declare_error

ROUTE_EMPTY = declare_error("route_empty", 409)
ROUTE_HAS_OPEN_STOPS = declare_error("route_has_open_stops", 409)
ROUTE_STILL_CARRIES = declare_error("route_still_carries", 409)
ROUTE_NOT_PUBLISHED = declare_error("route_not_published", 409)
ROUTE_OF_ANOTHER_DAY = declare_error("route_of_another_day", 409)

UNDELIVERED = frozenset({StopStatus.FAILED, StopStatus.CANCELLED})
"""Stops whose goods may still be aboard."""


class StopState(Struct, frozen=True, kw_only=True):
    """What the rules need to know of a stop."""

    id: int
    order_id: int
    kind: StopKind
    status: StopStatus
    on_route: bool = True
    locked: bool = False
    to_load: bool = False


def open_stops(stops: Iterable[StopState]) -> list[StopState]:
    """Stops that are still to be visited."""
    return [stop for stop in stops if stop.status in OPEN]


def undelivered_stops(stops: Iterable[StopState]) -> list[StopState]:
    """Failed and cancelled stops whose goods are aboard: not yet back at the depot."""
    return [stop for stop in stops if stop.status in UNDELIVERED and stop.on_route]


def reopenable_stops(stops: Iterable[StopState]) -> list[StopState]:
    """Failed stops whose goods are still aboard, or still to be collected."""
    return [stop for stop in stops if stop.status is StopStatus.FAILED and stop.on_route]


def orders_not_loaded(stops: Iterable[StopState]) -> set[int]:
    """The orders of a route under way whose goods its vehicle does not hold: to be collected, or still at the depot."""
    return {stop.order_id for stop in stops if stop.status in OPEN and (stop.kind is StopKind.PICKUP or stop.to_load)}


def collected_stops(stops: Sequence[StopState]) -> list[StopState]:
    """Stops where something was collected that is for the depot, not for a person further on, and is not there yet."""
    onward = {stop.order_id for stop in stops if stop.kind is StopKind.DELIVERY}
    return [
        stop
        for stop in stops
        if stop.kind is StopKind.PICKUP
        and stop.status is StopStatus.COMPLETED
        and stop.on_route
        and stop.order_id not in onward
    ]


def stops_with_goods_aboard(stops: Sequence[StopState]) -> list[StopState]:
    """The stops whose goods the vehicle has to hand in at the depot."""
    return [*undelivered_stops(stops), *collected_stops(stops)]


def loaded_order_ids(stops: Iterable[StopState]) -> set[int]:
    """The orders whose goods are loaded at the depot: those that are delivered and not collected on the same route."""
    kinds = [(stop.order_id, stop.kind) for stop in stops]
    collected = {order_id for order_id, kind in kinds if kind is StopKind.PICKUP}
    return {order_id for order_id, kind in kinds if kind is StopKind.DELIVERY} - collected


def stops_to_hand_over(stops: Iterable[StopState]) -> list[StopState]:
    """The stops that another vehicle can take over: open ones, and those whose goods are aboard."""
    whole = list(stops)
    aboard = {stop.id for stop in undelivered_stops(whole)}
    return [stop for stop in whole if stop.status in OPEN or stop.id in aboard]


def check_route_start(route: RouteState, stops: Sequence[StopState]) -> OperationError | None:
    """Why a route cannot be started, or None."""
    if not route.published:
        return ROUTE_NOT_PUBLISHED()
    return None if stops else ROUTE_EMPTY()


def check_route_finish(stops: Sequence[StopState]) -> OperationError | None:
    """Why a route cannot be finished, or None."""
    if waiting := open_stops(stops):
        return ROUTE_HAS_OPEN_STOPS(count=len(waiting))
    if aboard := stops_with_goods_aboard(stops):
        return ROUTE_STILL_CARRIES(count=len(aboard))
    return None


def is_picked_up_first(stop: StopState, stops: Iterable[StopState]) -> bool:
    """Whether what is to be delivered here was collected: always, unless its pickup on this route is still open."""
    return stop.kind is StopKind.PICKUP or not any(
        other.order_id == stop.order_id and other.kind is StopKind.PICKUP and other.status in OPEN for other in stops
    )


def allowed_route_actions(
    route: RouteState, stops: Sequence[StopState], viewer: RouteViewer
) -> tuple[RouteAction, ...]:
    """What the viewer may do with the route now."""
    waiting = open_stops(stops)
    blocked = {
        RouteAction.START: check_route_start(route, stops) is not None,
        RouteAction.FINISH: check_route_finish(stops) is not None,
        RouteAction.REMOVE_ORDERS: not stops or (route.status is RouteStatus.STARTED and not orders_not_loaded(stops)),
        RouteAction.REORDER_STOPS: len(waiting) < 2,
        RouteAction.VISIT_STOPS: not waiting,
        RouteAction.REOPEN_STOPS: not reopenable_stops(stops),
        RouteAction.RETURN_TO_DEPOT: not stops_with_goods_aboard(stops),
        RouteAction.MOVE_STOPS: not waiting,
        RouteAction.MERGE: not stops,
        RouteAction.SPLIT: len({stop.order_id for stop in stops}) < 2,
        RouteAction.LOCK_STOPS: not waiting,
        RouteAction.LOCK: route.locked,
        RouteAction.UNLOCK: not route.locked,
        RouteAction.PUBLISH: route.published,
        RouteAction.UNPUBLISH: not route.published,
        RouteAction.OFFER: route.status is not RouteStatus.DRAFT or not stops,
        RouteAction.HAND_OVER: not stops_to_hand_over(stops),
        RouteAction.LOAD: not any(stop.to_load for stop in waiting),
    }
    frozen = FORBIDDEN_WHEN_LOCKED if route.locked else frozenset[RouteAction]()
    return tuple(
        action
        for action in RouteAction
        if next_route_status(action, route.status) is not None
        and may_act_on_route(action, route, viewer)
        and action not in frozen
        and not blocked.get(action, False)
    )


def allowed_stop_actions(
    route: RouteState, stop: StopState, stops: Iterable[StopState], viewer: RouteViewer
) -> tuple[StopAction, ...]:
    """What the viewer may do at the stop now."""
    under_way = route.status is RouteStatus.STARTED and not stop.to_load
    if not under_way or not may_act_on_route(RouteAction.VISIT_STOPS, route, viewer):
        return ()
    possible = possible_stop_actions(stop.kind, stop.status)
    return (
        possible
        if is_picked_up_first(stop, stops)
        else tuple(action for action in possible if action is not StopAction.DELIVER)
    )
