"""The order of stops on a route, and changes of it, on lists of stop ids.

A stop that is over, or locked, *stays*: it keeps its number. Nothing is put before it, and nothing that stands before it is
put behind it. When stops before a locked one leave the route, those behind close up, and it is visited that much earlier.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from haulier.contexts.routes.routes.rules.permissions import RouteState
from haulier.contexts.routes.routes.rules.progress import StopState, open_stops, orders_not_loaded
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.stops.rules import OPEN, StopKind
from haulier.kernel.operations.errors import OperationError, declare_error

STOPS_DO_NOT_MATCH = declare_error("stops_do_not_match", 409)
PICKUP_COMES_FIRST = declare_error("pickup_comes_first", 409)
STOP_NOT_ON_ROUTE = declare_error("stop_not_on_route", 409)
STOP_STAYS = declare_error("stop_stays", 409)
GOODS_ABOARD = declare_error("goods_aboard", 409)
GOODS_AT_DEPOT = declare_error("goods_at_depot", 409)
ROUTE_ON_THE_ROAD = declare_error("route_on_the_road", 409)
ROUTES_DO_NOT_MATCH = declare_error("routes_do_not_match", 409)


def is_stop_fixed(stop: StopState) -> bool:
    """Whether a stop keeps its number when other stops are moved."""
    return stop.locked or stop.status not in OPEN


def arrange_open_stops(stops: Sequence[StopState], order_of_visit: Sequence[int]) -> list[int]:
    """The order of visit when the open stops follow each other as `order_of_visit` and every other keeps its number."""
    following = iter(order_of_visit)
    return [next(following) if stop.status in OPEN else stop.id for stop in stops]


def insert_stop_ids(stop_ids: Sequence[int], arriving: Sequence[int], position: int | None) -> list[int]:
    """The order of visit when stops arrive at a place from 1, or at the end; those that stand there already move to it."""
    staying = [stop_id for stop_id in stop_ids if stop_id not in set(arriving)]
    index = len(staying) if position is None else min(position - 1, len(staying))
    return [*staying[:index], *arriving, *staying[index:]]


def check_stop_reorder(stops: Sequence[StopState], order_of_visit: Sequence[int]) -> OperationError | None:
    """Why the open stops cannot be visited in this order, or None. Every open stop is named once, also a locked one."""
    if sorted(order_of_visit) != sorted(stop.id for stop in open_stops(stops)):
        return STOPS_DO_NOT_MATCH()
    return check_stop_sequence(stops, {stop.id: stop for stop in stops}, arrange_open_stops(stops, order_of_visit))


def check_stop_sequence(
    before: Sequence[StopState], stops_by_id: Mapping[int, StopState], order_of_visit: Sequence[int]
) -> OperationError | None:
    """Why the stops of a route cannot be in this order, or None. `stops_by_id` holds also those that arrive.

    What stays keeps its number, and where something is carried from a person to a person, its pickup comes first.
    """
    for stop, now in zip(before, order_of_visit, strict=False):
        if is_stop_fixed(stop) and stop.id != now:
            return STOP_STAYS(stop_id=stop.id)
    delivered: set[int] = set()
    for stop in (stops_by_id[stop_id] for stop_id in order_of_visit):
        if stop.kind is StopKind.PICKUP and stop.order_id in delivered:
            return PICKUP_COMES_FIRST(order_id=stop.order_id)
        if stop.kind is StopKind.DELIVERY:
            delivered.add(stop.order_id)
    return None


def stops_of_whole_orders(stops: Iterable[StopState], chosen: Collection[int]) -> list[StopState]:
    """The stops that go when these go: an order leaves a route with its pickup and its delivery, as they follow there."""
    whole_orders = list(stops)
    orders = {stop.order_id for stop in whole_orders if stop.id in chosen}
    return [stop for stop in whole_orders if stop.order_id in orders and stop.on_route]


def check_stops_on_route(stop_ids: Iterable[int], allowed_ids: Collection[int]) -> OperationError | None:
    """Why stops cannot be named, or None: they are not among the allowed ones."""
    return next((STOP_NOT_ON_ROUTE(stop_id=stop_id) for stop_id in stop_ids if stop_id not in allowed_ids), None)


def with_partner_stops(named: Sequence[StopState], along: Iterable[StopState]) -> list[StopState]:
    """Stops as they were named; the other stop of a pickup and delivery that was not named stands next to its partner."""
    partners = {stop.order_id: stop for stop in along if stop.id not in {named_stop.id for named_stop in named}}
    stop_list: list[StopState] = []
    for stop in named:
        partner = partners.pop(stop.order_id, None)
        pair = [stop] if partner is None else [stop, partner]
        stop_list += pair if stop.kind is StopKind.PICKUP else reversed(pair)
    return stop_list


def check_stops_may_leave(route: RouteState, leaving: Sequence[StopState], to: RouteState) -> OperationError | None:
    """Why these stops cannot go from one route to another, or None.

    What is in a vehicle under way stays on its route, and what is at the depot cannot be taken on by a vehicle that has
    left it; what is still to be collected from a person can change vehicles at any time before.
    """
    under_way, theirs = (state.status is RouteStatus.STARTED for state in (route, to))
    elsewhere = orders_not_loaded(leaving)
    for stop in leaving:
        if under_way and stop.order_id not in elsewhere:
            return GOODS_ABOARD(order_id=stop.order_id)
        if is_stop_fixed(stop):
            return STOP_STAYS(stop_id=stop.id)
        if under_way and not theirs:
            return ROUTE_ON_THE_ROAD()
        if theirs and stop.order_id not in elsewhere:
            return GOODS_AT_DEPOT(order_id=stop.order_id)
    return None


def check_routes_match(route: RouteState, other: RouteState, *, merging: bool = False) -> OperationError | None:
    """Why stops cannot go between two routes, or None: they are of one day and of one planner.

    Routes that become one also start at one depot.
    """
    alike = (route.day, route.contractor_id) == (other.day, other.contractor_id)
    if not alike or (merging and route.depot_id != other.depot_id):
        return ROUTES_DO_NOT_MATCH()
    return None


def stops_with_outdated_plan(before: Sequence[int], now: Sequence[int]) -> list[int]:
    """The stops whose planned times no longer hold: all from the first place at which another stop stands than before."""
    same = next(
        (n for n, (old, new) in enumerate(zip(before, now, strict=False)) if old != new), min(len(before), len(now))
    )
    return list(now[same:])
