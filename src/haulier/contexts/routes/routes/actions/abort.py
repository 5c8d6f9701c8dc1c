"""A route under way is given up: what is not aboard waits again, what is aboard is to be brought back or handed over."""

from haulier.contexts.orders.public import OrderStep, apply_order_transition
from haulier.contexts.routes.events import RouteAborted
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions.cancelled_stops import cancel_open_stops
from haulier.contexts.routes.routes.actions.route_orders import return_orders_to_pools
from haulier.contexts.routes.routes.contract.emergencies import AbortRoute
from haulier.contexts.routes.routes.notifications import mark_routes_changed
from haulier.contexts.routes.routes.queries import lock_route_for_action
from haulier.contexts.routes.routes.rules.state_machine import RouteAction
from haulier.contexts.routes.stops.queries import list_stops_of_routes
from haulier.contexts.routes.stops.rules import StopCancelReason
from haulier.contexts.tracking.public import INCIDENT_REASONS, IncidentReason
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError


async def abort_route(call: Call, request: AbortRoute) -> None:
    """Give up a route under way. Raises `NOT_FOUND`, `ROUTE_CHANGED`, `ROUTE_CANNOT` or `INVALID_REQUEST`."""
    route, status = await lock_route_for_action(
        call, request.route_id, RouteAction.ABORT, expected=request.expected_version
    )
    if request.reason not in INCIDENT_REASONS:
        raise INVALID_REQUEST.for_fields(FieldError("reason", "field.reason_unknown"))
    stops = await list_stops_of_routes(call, [route.id])
    aboard, waiting = await cancel_open_stops(call, stops, StopCancelReason.ROUTE_ABORTED, note=request.note)
    reason = IncidentReason(code=request.reason)
    # Why: errors of single orders are not raised. One that was cancelled on the way takes no step, and only its goods go on.
    await apply_order_transition(call, OrderStep.ABORT, sorted(aboard), reason=reason, note=request.note)
    await apply_order_transition(call, OrderStep.REMOVE, sorted(waiting), note=request.note)
    await apply_order_transition(call, OrderStep.UNPLAN, sorted(waiting), note=request.note)
    await return_orders_to_pools(call, route, sorted(waiting))
    await store.update_route(
        call.work,
        route.id,
        status=status,
        cancel_reason=request.note or request.reason,
        finished_at=call.now,
        finished_recorded_at=call.now,
    )
    mark_routes_changed(call, route)
    await call.publish(
        RouteAborted(
            route_id=route.id,
            driver_id=route.driver_id,
            reason=request.reason,
            aboard_order_ids=tuple(sorted(aboard)),
            waiting_order_ids=tuple(sorted(waiting)),
            at=call.now,
        )
    )
