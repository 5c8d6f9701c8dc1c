"""Failed stops are reopened while their route is under way: the next visit is a new attempt beside the earlier one."""

from typing import Any

from haulier.contexts.orders.public import reopen_order
from haulier.contexts.routes.events import StopReopened
from haulier.contexts.routes.routes.actions.stop_visits import load_stop_answer, lock_stop_visit, mark_stop_changed
from haulier.contexts.routes.routes.contract.routes import ReopenStop, StopAnswer
from haulier.contexts.routes.routes.rules.state_machine import RouteAction, RouteStatus, next_route_status_or_raise
from haulier.contexts.routes.stops.actions import reopen_stop
from haulier.contexts.routes.stops.queries import StopRow
from haulier.contexts.routes.stops.rules import OPEN, StopAction, StopStatus, stop_error
from haulier.kernel.call import Call

ATTEMPT_COLUMNS = (
    "outcome",
    "reason",
    "return_reason",
    "note",
    "proof",
    "ended_by",
    "ended_lat",
    "ended_lng",
    "ended_distance_m",
)


async def reopen_failed_stop(call: Call, request: ReopenStop) -> StopAnswer:
    """Reopen a failed stop, and the other stop of its order that failed with it. An open stop stays as it is.

    Raises `NOT_FOUND`, `ROUTE_CANNOT`, `STOP_CANNOT`, `STOP_HANDED_OVER`, or the error of an order that cannot follow.
    """
    visit = await lock_stop_visit(call, request)
    next_route_status_or_raise(RouteAction.REOPEN_STOPS, RouteStatus(visit.route.status))
    if visit.status in OPEN:
        return await load_stop_answer(call, visit.route, request)
    if visit.status is not StopStatus.FAILED:
        raise stop_error(StopAction.REOPEN, visit.status)
    order_id, at = visit.stop.order_id, request.occurred_at or call.now
    await reopen_order(call, order_id, at=at, note=request.note)
    for stop in visit.stops:
        if stop.order_id == order_id and stop.status == StopStatus.FAILED:
            await reopen_stop(call, stop.id, earlier_attempts=[*(stop.earlier_attempts or ()), _describe_attempt(stop)])
            await call.publish(StopReopened(route_id=visit.route.id, stop_id=stop.id, order_id=order_id, at=at))
    mark_stop_changed(call, visit)
    return await load_stop_answer(call, visit.route, request)


def _describe_attempt(stop: StopRow) -> dict[str, Any]:
    times = {name: getattr(stop, name) for name in ("arrived_at", "ended_at", "ended_recorded_at")}
    return {name: getattr(stop, name) for name in ATTEMPT_COLUMNS} | {
        name: time.isoformat() if time else None for name, time in times.items()
    }
