"""Rules of routes: progress.

Staff see every route. Each route is planned by its owner, staff or contractor, from the owner's pool. Staff may also
remove orders, cancel, abort and hand over on every route. Driving is for the driver, and for users who may act on a
driver's behalf.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.routes.stops.rules import OPEN, StopAction, StopKind, StopStatus, possible_stop_actions
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

ROUTE_CANNOT = declare_error("route_cannot", 409)
WITHDRAW_TOO_LATE = declare_error("withdraw_too_late", 409)


class RouteStatus(StrEnum):
    """Status of a route.

    A draft has no driver; `assigned` waits for its driver to start. `aborted` ended early: goods on board must still be
    brought back or handed over.
    """

    DRAFT = "draft"
    ASSIGNED = "assigned"
    STARTED = "started"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    ABORTED = "aborted"


class RouteAction(StrEnum):
    """An action on a whole route."""

    ADD_ORDERS = "add_orders"
    REMOVE_ORDERS = "remove_orders"
    REORDER_STOPS = "reorder_stops"
    ASSIGN_DRIVER = "assign_driver"
    UNASSIGN_DRIVER = "unassign_driver"
    START = "start"
    VISIT_STOPS = "visit_stops"
    REOPEN_STOPS = "reopen_stops"
    RETURN_TO_DEPOT = "return_to_depot"
    FINISH = "finish"
    CANCEL = "cancel"
    MOVE_STOPS = "move_stops"
    MERGE = "merge"
    SPLIT = "split"
    LOCK_STOPS = "lock_stops"
    LOCK = "lock"
    UNLOCK = "unlock"
    PUBLISH = "publish"
    UNPUBLISH = "unpublish"
    OFFER = "offer"
    HAND_OVER = "hand_over"
    LOAD = "load"
    ABORT = "abort"


_D, _A, _S = RouteStatus.DRAFT, RouteStatus.ASSIGNED, RouteStatus.STARTED
_ABORTED = RouteStatus.ABORTED

ROUTE_TRANSITIONS: dict[RouteAction, dict[RouteStatus, RouteStatus]] = {
    RouteAction.ADD_ORDERS: {_D: _D, _A: _A, _S: _S},
    RouteAction.REMOVE_ORDERS: {_D: _D, _A: _A, _S: _S},
    RouteAction.REORDER_STOPS: {_D: _D, _A: _A, _S: _S},
    RouteAction.ASSIGN_DRIVER: {_D: _A, _A: _A},
    RouteAction.UNASSIGN_DRIVER: {_A: _D},
    RouteAction.START: {_A: _S},
    RouteAction.VISIT_STOPS: {_S: _S},
    RouteAction.REOPEN_STOPS: {_S: _S},
    RouteAction.RETURN_TO_DEPOT: {_S: _S, _ABORTED: _ABORTED},
    RouteAction.FINISH: {_S: RouteStatus.FINISHED},
    RouteAction.CANCEL: {_D: RouteStatus.CANCELLED, _A: RouteStatus.CANCELLED},
    RouteAction.MOVE_STOPS: {_D: _D, _A: _A, _S: _S},
    RouteAction.MERGE: {_D: _D, _A: _A},
    RouteAction.SPLIT: {_D: _D, _A: _A},
    RouteAction.LOCK_STOPS: {_D: _D, _A: _A, _S: _S},
    RouteAction.LOCK: {_D: _D, _A: _A, _S: _S},
    RouteAction.UNLOCK: {_D: _D, _A: _A, _S: _S},
    RouteAction.PUBLISH: {_D: _D, _A: _A},
    RouteAction.UNPUBLISH: {_D: _D, _A: _A},
    RouteAction.OFFER: {_D: _D, _A: _A, _S: _S},
    RouteAction.HAND_OVER: {_S: _S, _ABORTED: _ABORTED},
    RouteAction.LOAD: {_S: _S},
    RouteAction.ABORT: {_S: _ABORTED},
}
"""Publishing and locking are no status of their own: a route has them beside the one it stands in.

A started route is not cancelled but aborted: what is aboard is brought back or handed over, so that no parcel is lost sight
of."""


def route_error(action: RouteAction, status: RouteStatus) -> OperationError:
    """The error for an action that is not possible in this status."""
    return ROUTE_CANNOT(act=action.value, status=status.value)


ROUTE_LIFE = StateMachine(ROUTE_TRANSITIONS, created={RouteStatus.DRAFT: ""}, error=route_error)
mermaid = ROUTE_LIFE.mermaid


def next_route_status(action: RouteAction, status: RouteStatus) -> RouteStatus | None:
    """The status that an action leads to, or None where it is not possible."""
    return ROUTE_LIFE.next_status(action, status)


def next_route_status_or_raise(action: RouteAction, status: RouteStatus) -> RouteStatus:
    """The status that an action leads to. Raises `ROUTE_CANNOT`."""
    return ROUTE_LIFE.next_status_or_raise(action, status)


ROUTE_NOT_YOURS_TO_PLAN = declare_error("route_not_yours_to_plan", 403)
ROUTE_LOCKED = declare_error("route_locked", 409)


class RouteState(Struct, frozen=True, kw_only=True):
    """Facts of a route for the rules.

    `driver_user_id` is the account of its driver. A locked route keeps its stops, their sequence and its driver. Only
    planners see an unpublished route.
    """

    status: RouteStatus
    contractor_id: int | None = None
    driver_user_id: int | None = None
    published: bool = True
    locked: bool = False
    day: date | None = None
    depot_id: int | None = None


class RouteViewer(Struct, frozen=True):
    """The caller, as far as permissions on routes depend on them."""

    account: Account
    user_id: int | None


ARRANGEMENT_ACTIONS = frozenset(
    {
        RouteAction.ADD_ORDERS,
        RouteAction.REORDER_STOPS,
        RouteAction.ASSIGN_DRIVER,
        RouteAction.UNASSIGN_DRIVER,
        RouteAction.MOVE_STOPS,
        RouteAction.MERGE,
        RouteAction.SPLIT,
        RouteAction.LOCK_STOPS,
    }
)
PLANNING_ACTIONS = ARRANGEMENT_ACTIONS | {
    RouteAction.LOCK,
    RouteAction.UNLOCK,
    RouteAction.PUBLISH,
    RouteAction.UNPUBLISH,
    RouteAction.OFFER,
}
EMERGENCY_ACTIONS = frozenset({RouteAction.HAND_OVER, RouteAction.ABORT})
"""Actions for a route that cannot continue as planned. A lock does not prevent them."""
MANAGEMENT_ACTIONS = frozenset({RouteAction.REMOVE_ORDERS, RouteAction.CANCEL}) | EMERGENCY_ACTIONS
FORBIDDEN_WHEN_LOCKED = (ARRANGEMENT_ACTIONS | MANAGEMENT_ACTIONS) - EMERGENCY_ACTIONS
"""Actions that require a locked route to be unlocked first."""


def manages_route(route: RouteState, viewer: RouteViewer) -> bool:
    """Return True if the viewer is staff, or the contractor of the route."""
    return viewer.account in OFFICE or (viewer.account is Account.CONTRACTOR and route.contractor_id == viewer.user_id)


def plans_route(route: RouteState, viewer: RouteViewer) -> bool:
    """Return True if the route is planned from the viewer's own pool."""
    return manages_route(route, viewer) and (viewer.account in OFFICE) == (route.contractor_id is None)


def sees_route(route: RouteState, viewer: RouteViewer) -> bool:
    """Return True if the viewer may see the route.

    Drivers see it once it is published.
    """
    if viewer.account is Account.DRIVER:
        return route.published and viewer.user_id is not None and route.driver_user_id == viewer.user_id
    return manages_route(route, viewer)


PLACES_SHOWN_TO_DRIVERS = timedelta(hours=24)
"""Time after the end of a route in which its driver can still read the addresses of its stops."""


def may_see_places(viewer: RouteViewer, finished_at: datetime | None, now: datetime) -> bool:
    """Return True if the viewer of a route may read the addresses of its stops."""
    return viewer.account is not Account.DRIVER or finished_at is None or now - finished_at < PLACES_SHOWN_TO_DRIVERS


def may_act_on_route(action: RouteAction, route: RouteState, viewer: RouteViewer) -> bool:
    """Return True if the viewer may use this action on the route in any status."""
    if action in PLANNING_ACTIONS:
        return plans_route(route, viewer)
    return manages_route(route, viewer) if action in MANAGEMENT_ACTIONS else sees_route(route, viewer)


ROUTE_PLANNERS = OFFICE | {Account.CONTRACTOR}


ROUTE_EMPTY = declare_error("route_empty", 409)
ROUTE_HAS_OPEN_STOPS = declare_error("route_has_open_stops", 409)
ROUTE_STILL_CARRIES = declare_error("route_still_carries", 409)
ROUTE_NOT_PUBLISHED = declare_error("route_not_published", 409)
ROUTE_OF_ANOTHER_DAY = declare_error("route_of_another_day", 409)

UNDELIVERED = frozenset({StopStatus.FAILED, StopStatus.CANCELLED})
"""Stops whose goods may still be aboard."""


class StopState(Struct, frozen=True, kw_only=True):
    """Facts of a stop for the rules."""

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
    """Return the orders whose goods the vehicle does not hold yet.

    Their goods are collected later, or are still at the depot.
    """
    return {stop.order_id for stop in stops if stop.status in OPEN and (stop.kind is StopKind.PICKUP or stop.to_load)}


def collected_stops(stops: Sequence[StopState]) -> list[StopState]:
    """Return stops with collected goods for the depot that are not there yet."""
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
    missed = orders_not_collected(stops)
    return [*(stop for stop in undelivered_stops(stops) if stop.order_id not in missed), *collected_stops(stops)]


def orders_not_collected(stops: Iterable[StopState]) -> set[int]:
    """Return the orders whose pickup failed: their goods are not in the vehicle."""
    return {stop.order_id for stop in stops if stop.kind is StopKind.PICKUP and stop.status is StopStatus.FAILED}


def loaded_order_ids(stops: Iterable[StopState]) -> set[int]:
    """Return the orders loaded at the depot.

    Those delivered but not collected on the same route.
    """
    kinds = [(stop.order_id, stop.kind) for stop in stops]
    collected = {order_id for order_id, kind in kinds if kind is StopKind.PICKUP}
    return {order_id for order_id, kind in kinds if kind is StopKind.DELIVERY} - collected


def stops_to_hand_over(stops: Iterable[StopState]) -> list[StopState]:
    """Return the stops that another vehicle can take over.

    Open stops, and those with goods on board.
    """
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
    """Return True if the goods to deliver here are collected.

    False only while their pickup on this route is open.
    """
    return stop.kind is StopKind.PICKUP or not any(
        other.order_id == stop.order_id and other.kind is StopKind.PICKUP and other.status in OPEN for other in stops
    )


def allowed_route_actions(
    route: RouteState, stops: Sequence[StopState], viewer: RouteViewer
) -> tuple[RouteAction, ...]:
    """Return the actions available to the viewer on the route now."""
    waiting = open_stops(stops)
    blocked = {
        RouteAction.START: check_route_start(route, stops) is not None,
        RouteAction.FINISH: check_route_finish(stops) is not None,
        RouteAction.REMOVE_ORDERS: not stops or (route.status is RouteStatus.STARTED and not orders_not_loaded(stops)),
        RouteAction.REORDER_STOPS: len(waiting) < 2,
        RouteAction.VISIT_STOPS: not waiting,
        RouteAction.REOPEN_STOPS: not reopenable_stops(stops),
        RouteAction.RETURN_TO_DEPOT: not undelivered_stops(stops) and not collected_stops(stops),
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
    """Return the actions available to the viewer at the stop now."""
    under_way = route.status is RouteStatus.STARTED and not stop.to_load
    if not under_way or not may_act_on_route(RouteAction.VISIT_STOPS, route, viewer):
        return ()
    possible = possible_stop_actions(stop.kind, stop.status)
    return (
        possible
        if is_picked_up_first(stop, stops)
        else tuple(action for action in possible if action is not StopAction.DELIVER)
    )


LOAD_DIMENSIONS = ("weight_g", "volume_cm3", "parcels")


class RouteWarningCode(StrEnum):
    """Warning about an order on a route."""

    OVERLOADED = "overloaded"
    """At its fullest, the vehicle holds more than it can."""
    SKILL_MISSING = "skill_missing"
    """Neither driver nor vehicle has a skill that the order asks for."""
    OTHER_DAY = "other_day"
    """The order is promised for another day."""


class CarriedOrder(Struct, frozen=True, kw_only=True):
    """An order as a load and a promise. `load` is in the order of `LOAD_DIMENSIONS`."""

    order_id: int
    load: Sequence[int]
    skills: frozenset[str] = frozenset()
    scheduled_date: date | None = None
    window: tuple[datetime | None, datetime | None] = (None, None)


class RouteCarrier(Struct, frozen=True, kw_only=True):
    """Driver and vehicle of a route, as far as known.

    A capacity of None is unlimited; skills of None are unknown.
    """

    capacity: Sequence[int | None] = (None, None, None)
    skills: frozenset[str] | None = None


class RouteOddity(Struct, frozen=True):
    """Something odd; about the whole route where it names no order."""

    code: RouteWarningCode
    order_id: int | None = None
    percent: int | None = None


def find_route_oddities(
    day: date,
    carrier: RouteCarrier,
    stops: Sequence[StopState],
    orders: Mapping[int, CarriedOrder],
    added: Iterable[int],
) -> list[RouteOddity]:
    """Return the warnings about a route after orders were added.

    Days and windows are in the business's time zone.
    """
    percent = peak_load_percent(stops, orders, carrier.capacity)
    overload = [RouteOddity(RouteWarningCode.OVERLOADED, percent=percent)] if percent > 100 else []
    return [*overload, *(oddity for id in added for oddity in _order_oddities(day, carrier, orders[id]))]


def _order_oddities(day: date, carrier: RouteCarrier, order: CarriedOrder) -> Iterator[RouteOddity]:
    if carrier.skills is not None and not order.skills <= carrier.skills:
        yield RouteOddity(RouteWarningCode.SKILL_MISSING, order.order_id)
    opens, closes = (end and end.date() for end in order.window)
    too_early, too_late = opens is not None and day < opens, closes is not None and day > closes
    promised = order.scheduled_date if opens is None and closes is None else None
    if too_early or too_late or (promised is not None and promised > day):
        yield RouteOddity(RouteWarningCode.OTHER_DAY, order.order_id)


def peak_load_percent(
    stops: Sequence[StopState], orders: Mapping[int, CarriedOrder], capacity: Sequence[int | None]
) -> int:
    """Return the peak load in percent of the vehicle's capacity; 0 if unlimited."""
    to_collect = orders_not_loaded(stops)
    waiting = [stop for stop in stops if stop.status in OPEN]
    loaded = {stop.order_id for stop in waiting if stop.order_id not in to_collect or stop.to_load}
    aboard = [sum(orders[id].load[n] for id in loaded) for n in range(len(LOAD_DIMENSIONS))]
    peak = list(aboard)
    for stop in waiting:
        sign = 1 if stop.kind is StopKind.PICKUP else -1
        aboard = [now + sign * load for now, load in zip(aboard, orders[stop.order_id].load, strict=True)]
        peak = [max(before, now) for before, now in zip(peak, aboard, strict=True)]
    return max((100 * most // limit for most, limit in zip(peak, capacity, strict=True) if limit), default=0)
