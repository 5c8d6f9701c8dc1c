"""How far a route is, and what may be done next. The server says what is allowed; apps show buttons for that alone."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from haulier.contexts.dispatch.routes.rules.machine import RouteAct, RouteStatus, after
from haulier.contexts.dispatch.routes.rules.people import FROZEN, RouteState, Viewer, may
from haulier.contexts.dispatch.stops.rules import OPEN, StopAct, StopKind, StopStatus, acts_at
from haulier.kernel.errors import Refusal, problem

ROUTE_EMPTY = problem("route_empty", 409)
ROUTE_HAS_OPEN_STOPS = problem("route_has_open_stops", 409)
ROUTE_STILL_CARRIES = problem("route_still_carries", 409)
ROUTE_NOT_PUBLISHED = problem("route_not_published", 409)


class StopState(Struct, frozen=True, kw_only=True):
    """What the rules need to know of a stop."""

    id: int
    order_id: int
    kind: StopKind
    status: StopStatus
    on_route: bool = True
    locked: bool = False


def open_stops(stops: Iterable[StopState]) -> list[StopState]:
    """Stops that are still to be visited."""
    return [stop for stop in stops if stop.status in OPEN]


def undelivered(stops: Iterable[StopState]) -> list[StopState]:
    """Stops that were in vain and whose order is not yet back at the depot."""
    return [stop for stop in stops if stop.status is StopStatus.FAILED and stop.on_route]


def collected(stops: Sequence[StopState]) -> list[StopState]:
    """Stops where something was collected that is for the depot, not for a person further on, and is not there yet."""
    onward = {stop.order_id for stop in stops if stop.kind is StopKind.DELIVERY}
    return [
        stop
        for stop in stops
        if stop.kind is StopKind.PICKUP and stop.status is StopStatus.COMPLETED and stop.order_id not in onward
    ]


def carried(stops: Sequence[StopState]) -> list[StopState]:
    """Everything that the vehicle has to hand in at the depot."""
    return [*undelivered(stops), *collected(stops)]


def why_not_start(route: RouteState, stops: Sequence[StopState]) -> Refusal | None:
    """Why a route cannot be started, or None."""
    if not route.published:
        return ROUTE_NOT_PUBLISHED()
    return None if stops else ROUTE_EMPTY()


def why_not_finish(stops: Sequence[StopState]) -> Refusal | None:
    """Why a route cannot be finished, or None."""
    if waiting := open_stops(stops):
        return ROUTE_HAS_OPEN_STOPS(count=len(waiting))
    if aboard := carried(stops):
        return ROUTE_STILL_CARRIES(count=len(aboard))
    return None


def picked_up_first(stop: StopState, stops: Iterable[StopState]) -> bool:
    """Whether what is to be delivered here was collected: always, unless its pickup on this route is still open."""
    return stop.kind is StopKind.PICKUP or not any(
        other.order_id == stop.order_id and other.kind is StopKind.PICKUP and other.status in OPEN for other in stops
    )


def actions_on_route(route: RouteState, stops: Sequence[StopState], viewer: Viewer) -> tuple[RouteAct, ...]:
    """What the viewer may do with the route now."""
    waiting = open_stops(stops)
    blocked = {
        RouteAct.START: why_not_start(route, stops) is not None,
        RouteAct.FINISH: why_not_finish(stops) is not None,
        RouteAct.TAKE_ORDERS_OFF: not stops,
        RouteAct.REORDER_STOPS: len(waiting) < 2,
        RouteAct.VISIT_STOPS: not waiting,
        RouteAct.RETURN_TO_DEPOT: not carried(stops),
        RouteAct.MOVE_STOPS: not waiting,
        RouteAct.MERGE: not stops,
        RouteAct.SPLIT: len({stop.order_id for stop in stops}) < 2,
        RouteAct.LOCK_STOPS: not waiting,
        RouteAct.LOCK: route.locked,
        RouteAct.UNLOCK: not route.locked,
        RouteAct.PUBLISH: route.published,
        RouteAct.UNPUBLISH: not route.published,
        RouteAct.OFFER: route.status is not RouteStatus.DRAFT or not stops,
    }
    frozen = FROZEN if route.locked else frozenset[RouteAct]()
    return tuple(
        act
        for act in RouteAct
        if after(act, route.status) is not None
        and may(act, route, viewer)
        and act not in frozen
        and not blocked.get(act, False)
    )


def actions_at_stop(
    route: RouteState, stop: StopState, stops: Iterable[StopState], viewer: Viewer
) -> tuple[StopAct, ...]:
    """What the viewer may do at the stop now."""
    if route.status is not RouteStatus.STARTED or not may(RouteAct.VISIT_STOPS, route, viewer):
        return ()
    possible = acts_at(stop.kind, stop.status)
    return possible if picked_up_first(stop, stops) else tuple(act for act in possible if act is not StopAct.DELIVER)
