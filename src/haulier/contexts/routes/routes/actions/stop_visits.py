"""What happens at a stop: found and locked, judged, written, told to the order, announced."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct

from haulier.contexts.orders.public import OrderStep, apply_order_transition, get_order_facts
from haulier.contexts.routes.events import StopArrived, StopCompleted, StopFailed
from haulier.contexts.routes.routes.contract.routes import CompleteStop, FailStop, Position, ReportStopEvent, StopAnswer
from haulier.contexts.routes.routes.notifications import notify_day_changed
from haulier.contexts.routes.routes.queries import get_visible_route, to_stop_state, to_stop_states
from haulier.contexts.routes.routes.rules.event_time import resolve_event_time
from haulier.contexts.routes.routes.rules.geofence import distance_to_stop_m, geofence_extension, locate_stop
from haulier.contexts.routes.routes.rules.progress import is_picked_up_first
from haulier.contexts.routes.routes.rules.state_machine import RouteAction, RouteStatus, next_route_status_or_raise
from haulier.contexts.routes.routes.serializers import serialize_route_stop
from haulier.contexts.routes.stops import store as stop_store
from haulier.contexts.routes.stops.rules import (
    COMPLETING_ACTION,
    OPEN,
    STOP_CANNOT,
    STOP_LIFE,
    SUCCESSFUL,
    UNSUCCESSFUL,
    StopAction,
    StopKind,
    StopStatus,
    is_refused,
)
from haulier.contexts.tracking.public import INCIDENT_REASONS, IncidentReason, Location, ProofOfDelivery
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, declare_error

NOT_PICKED_UP_YET = declare_error("not_picked_up_yet", 409)


class StopVisit(Struct, frozen=True):
    """A stop, the route it is on, locked, and every stop of that route."""

    route: Any
    stops: Sequence[Any]
    stop: Any

    @property
    def status(self) -> StopStatus:
        """Where the stop stands."""
        return StopStatus(self.stop.status)


async def lock_stop_visit(call: Call, request: ReportStopEvent) -> StopVisit:
    """Find a stop on a route that the caller may drive. Raises `NOT_FOUND`."""
    route = await get_visible_route(call, request.route_id, lock=True)
    stops = await stop_store.list_stops_of_routes(call.work, [route.id])
    for stop in stops:
        if stop.id == request.stop_id:
            return StopVisit(route, stops, stop)
    raise NOT_FOUND()


async def record_arrival(call: Call, request: ReportStopEvent) -> StopAnswer:
    """Note the arrival at a stop. Said again, it changes nothing; heard of after the end, it only adds when it was."""
    seen = await lock_stop_visit(call, request)
    if seen.stop.arrived_at is not None:
        return await _load_stop_answer(call, seen.route, request)
    at = resolve_event_time(request.occurred_at, call.now)
    before_the_end = seen.stop.ended_at is not None and at <= seen.stop.ended_at
    reached = seen.status if before_the_end else _next_visited_stop_status(seen, StopAction.ARRIVE)
    await stop_store.update_stop(call.work, seen.stop.id, status=reached, arrived_at=at, arrived_recorded_at=call.now)
    _mark_stop_changed(call, seen)
    await call.publish(StopArrived(route_id=seen.route.id, stop_id=seen.stop.id, order_id=seen.stop.order_id, at=at))
    return await _load_stop_answer(call, seen.route, request)


async def complete_stop(call: Call, request: CompleteStop, act: StopAction) -> StopAnswer:
    """Complete a stop, with its proof. Said again, it changes nothing. Raises what the order's own rules say against it."""
    seen = await lock_stop_visit(call, request)
    if COMPLETING_ACTION[StopKind(seen.stop.kind)] is not act:
        raise STOP_CANNOT(act=act.value, status=seen.status.value)
    if seen.status in SUCCESSFUL:
        return await _load_stop_answer(call, seen.route, request)
    reached = _next_visited_stop_status(seen, act)
    if not is_picked_up_first(to_stop_state(seen.stop), to_stop_states(seen.stops)):
        raise NOT_PICKED_UP_YET()
    at = resolve_event_time(request.occurred_at, call.now)
    away_m = await _distance_to_device_m(call, seen, request)
    await _apply_order_steps(call, seen, act, request, at, away_m)
    await stop_store.update_stop(
        call.work,
        seen.stop.id,
        status=reached,
        proof=request.model_dump(include={"recipient", "signature_url", "photo_urls", "code"}),
        note=request.note,
        **_end_values(call, request, at, away_m),
    )
    _mark_stop_changed(call, seen)
    await call.publish(
        StopCompleted(
            route_id=seen.route.id,
            stop_id=seen.stop.id,
            order_id=seen.stop.order_id,
            kind=seen.stop.kind,
            at=at,
        )
    )
    return await _load_stop_answer(call, seen.route, request)


async def record_failed_stop(call: Call, request: FailStop) -> StopAnswer:
    """End a stop in vain. Said again with the same reason and outcome, it changes nothing.

    Raises `INVALID_REQUEST` for a reason that tracking does not know.
    """
    seen = await lock_stop_visit(call, request)
    if seen.status in UNSUCCESSFUL and (seen.stop.outcome, seen.stop.reason) == (request.outcome, request.reason):
        return await _load_stop_answer(call, seen.route, request)
    reached = _next_visited_stop_status(seen, StopAction.FAIL)
    if request.reason not in INCIDENT_REASONS:
        raise INVALID_REQUEST.for_fields(FieldError("reason", "field.reason_unknown"))
    at = resolve_event_time(request.occurred_at, call.now)
    reason = IncidentReason(code=request.reason, note=UNSET if request.note is None else request.note)
    where, away_m = _to_location(request.position), await _distance_to_device_m(call, seen, request)
    # An order that cannot fail any more (it was cancelled on the way) does not keep its driver at the door.
    step = OrderStep.REJECT if is_refused(request.reason, request.outcome) else OrderStep.FAIL
    told = geofence_extension(away_m)
    await apply_order_transition(
        call, step, [seen.stop.order_id], at=at, reason=reason, location=where, extensions=told
    )
    await stop_store.update_stops(
        call.work,
        [stop.id for stop in seen.stops if stop.order_id == seen.stop.order_id and stop.status in OPEN],
        status=reached,
        outcome=request.outcome,
        reason=request.reason,
        return_reason=request.return_reason,
        proof={"photo_urls": request.photo_urls} if request.photo_urls else None,
        note=request.note,
        **_end_values(call, request, at, away_m),
    )
    _mark_stop_changed(call, seen)
    await call.publish(
        StopFailed(
            route_id=seen.route.id,
            stop_id=seen.stop.id,
            order_id=seen.stop.order_id,
            reason=request.reason,
            outcome=request.outcome,
            at=at,
        )
    )
    return await _load_stop_answer(call, seen.route, request)


def _next_visited_stop_status(seen: StopVisit, act: StopAction) -> StopStatus:
    next_route_status_or_raise(RouteAction.VISIT_STOPS, RouteStatus(seen.route.status))
    return STOP_LIFE.next_status_or_raise(act, seen.status)


async def _distance_to_device_m(call: Call, seen: StopVisit, request: ReportStopEvent) -> int | None:
    """Metres between the stop and the device, when both are known."""
    if request.position is None:
        return None
    order = (await get_order_facts(call, [seen.stop.order_id])).get(seen.stop.order_id)
    place = locate_stop(StopKind(seen.stop.kind), order)
    return distance_to_stop_m(place, (request.position.lat, request.position.lng))


async def _apply_order_steps(
    call: Call, seen: StopVisit, act: StopAction, request: CompleteStop, at: datetime, away_m: int | None
) -> None:
    proof = ProofOfDelivery(
        recipient=request.recipient or UNSET,
        signature_url=request.signature_url or UNSET,
        photo_urls=tuple(request.photo_urls),
    )
    order_id = seen.stop.order_id
    where = _to_location(request.position)
    for step in _order_steps(seen, act):
        refused = await apply_order_transition(
            call, step, [order_id], at=at, pod=proof, location=where, extensions=geofence_extension(away_m)
        )
        if order_id in refused:
            raise refused[order_id]


def _order_steps(seen: StopVisit, act: StopAction) -> tuple[OrderStep, ...]:
    """What a completed stop means for its order: what is collected for a person further on is on its way at once."""
    if act is StopAction.DELIVER:
        return (OrderStep.DELIVER,)
    onward = any(stop.order_id == seen.stop.order_id and stop.kind == StopKind.DELIVERY for stop in seen.stops)
    return (OrderStep.PICK_UP, OrderStep.START) if onward else (OrderStep.PICK_UP,)


def _end_values(call: Call, request: ReportStopEvent, at: datetime, away_m: int | None) -> dict[str, Any]:
    return {
        "ended_at": at,
        "ended_recorded_at": call.now,
        "ended_by": call.actor,
        "ended_lat": request.position.lat if request.position else None,
        "ended_lng": request.position.lng if request.position else None,
        "ended_distance_m": away_m,
    }


def _to_location(position: Position | None) -> Location | None:
    return Location(lat=position.lat, lng=position.lng) if position else None


def _mark_stop_changed(call: Call, seen: StopVisit) -> None:
    call.add_audit_subjects("route", seen.route.id)
    call.add_audit_subjects("order", seen.stop.order_id)
    notify_day_changed(call, seen.route.day)


async def _load_stop_answer(call: Call, route: Any, request: ReportStopEvent) -> StopAnswer:
    stops = await stop_store.list_stops_of_routes(call.work, [route.id])
    stop = next(each for each in stops if each.id == request.stop_id)
    orders = await get_order_facts(call, [stop.order_id])
    return StopAnswer(
        stop=serialize_route_stop(call, route, stops, stop, orders.get(stop.order_id)),
        route_status=RouteStatus(route.status),
    )
