"""Stops come to stand in another order, or on another route: judged on plain records, then written and told."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.dispatch.routes import store
from haulier.contexts.dispatch.routes.boarding import ROUTE_FULL, UNKNOWN_END, driver_told
from haulier.contexts.dispatch.routes.contract import STOPS_MAX
from haulier.contexts.dispatch.routes.finding import route_state, stop_states
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.dispatch.routes.rules.progress import StopState
from haulier.contexts.dispatch.routes.rules.sequence import (
    inserted,
    unplanned,
    why_not_exchange,
    why_not_leave,
    why_not_stand,
)
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.dispatch.stops.rules import OPEN
from haulier.contexts.orders.public import Step, give_to_driver, take
from haulier.kernel.call import Call

Standing = dict[int, list[StopState]]


async def standing(call: Call, route_ids: Sequence[int]) -> Standing:
    """The stops of these routes by route, in the order of visit."""
    found: Standing = {route_id: [] for route_id in route_ids}
    rows = await stop_store.of_routes(call.work, list(route_ids))
    for row, stop in zip(rows, stop_states(rows), strict=True):
        found[row.route_id].append(stop)
    return found


async def stand(call: Call, before: Standing, wanted: Mapping[int, Sequence[int]]) -> None:
    """Number the stops of routes as `wanted`, and forget the planned times that this leaves without meaning.

    A route on which nothing moves stays the version that it is.
    """
    was = {route_id: [stop.id for stop in before[route_id]] for route_id in wanted}
    changed = {route_id: stop_ids for route_id, stop_ids in wanted.items() if was[route_id] != list(stop_ids)}
    if not changed:
        return
    over = {stop.id for route_id in changed for stop in before[route_id] if stop.status not in OPEN}
    disturbed = {stop_id for route_id, now in changed.items() for stop_id in unplanned(was[route_id], now)}
    await stop_store.place(call.work, *changed.values())
    await stop_store.forget_plan(call.work, sorted(disturbed - over))
    await store.change_all(call.work, changed, **UNKNOWN_END)


async def bring(
    call: Call,
    target: Any,
    sources: Mapping[int, Any],
    stops: Standing,
    arriving: Sequence[StopState],
    position: int | None = None,
) -> None:
    """Bring stops of other routes, or of this one, onto a route from a place on.

    `stops` are all stops of all these routes. Raises why the stops cannot leave, or cannot stand there.
    """
    to = route_state(target)
    origin = {stop.id: route_id for route_id, theirs in stops.items() for stop in theirs}
    for route_id, source in sources.items():
        leaving = [stop for stop in arriving if origin[stop.id] == route_id]
        refusal = why_not_exchange(route_state(source), to) or why_not_leave(route_state(source), leaving, to)
        if refusal:
            raise refusal
    known = {stop.id: stop for stop in [*stops[target.id], *arriving]}
    wanted = inserted([stop.id for stop in stops[target.id]], [stop.id for stop in arriving], position)
    if len(wanted) > STOPS_MAX:
        raise ROUTE_FULL(most=STOPS_MAX)
    if refusal := why_not_stand(stops[target.id], known, wanted):
        raise refusal
    gone = {stop.id for stop in arriving}
    left = {route_id: [stop.id for stop in stops[route_id] if stop.id not in gone] for route_id in sources}
    if newcomers := [stop for stop in arriving if origin[stop.id] != target.id]:
        await stop_store.bring(call.work, target.id, [stop.id for stop in newcomers])
        planned = {stop.order_id for stop in newcomers if not _started(sources[origin[stop.id]])}
        await _take_over(call, target, sorted({stop.order_id for stop in newcomers}), sorted(planned))
    await stand(call, stops, {**left, target.id: wanted})


async def _take_over(call: Call, target: Any, order_ids: Sequence[int], planned: Sequence[int]) -> None:
    """Orders change hands; those that were only `planned` are on their way with a target that is."""
    if planned and _started(target):
        for refusal in (await take(call, Step.START, planned, at=call.now)).values():
            raise refusal
    await give_to_driver(call, order_ids, driver_told(target))
    call.concerns("order", *order_ids)


def _started(route: Any) -> bool:
    return route.status == RouteStatus.STARTED
