"""Writes of routes for other families: stop visits."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, TypeVar

from msgspec import UNSET, Struct

from haulier.contexts.orders.public import (
    OrderStep,
    PieceLeft,
    PieceOutcome,
    apply_order_transition,
    get_order_facts,
    record_piece_outcomes,
    reopen_order,
)
from haulier.contexts.otep.public import build_outcome
from haulier.contexts.routes.events import StopArrived, StopCompleted, StopDisputed, StopFailed, StopReopened
from haulier.contexts.routes.ports import ProofAtDoor, StopsAtLockers
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.contract import (
    CompleteStop,
    FailStop,
    LeftPiece,
    Position,
    ReopenStop,
    ReportRouteEvent,
    ReportStopEvent,
    StopAnswer,
)
from haulier.contexts.routes.routes.notifications import notify_day_changed
from haulier.contexts.routes.routes.queries import get_visible_route, to_stop_state, to_stop_states
from haulier.contexts.routes.routes.rules.progress import (
    RouteAction,
    RouteStatus,
    is_picked_up_first,
    next_route_status_or_raise,
)
from haulier.contexts.routes.routes.rules.sequence import distance_to_stop_m, geofence_extension, locate_stop
from haulier.contexts.routes.routes.serializers import serialize_route_stop
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.actions import (
    mark_stop_disputed,
    record_stop_arrival,
    reopen_stop,
    store_disputed_proof,
    update_stops,
)
from haulier.contexts.routes.stops.queries import StopRow, get_stop_rows, list_stops_of_routes
from haulier.contexts.routes.stops.rules import (
    COMPLETING_ACTION,
    OPEN,
    STOP_CANNOT,
    STOP_LIFE,
    SUCCESSFUL,
    UNSUCCESSFUL,
    StopAction,
    StopCancelReason,
    StopDispute,
    StopKind,
    StopStatus,
    is_refused,
    stop_error,
)
from haulier.contexts.tracking.public import INCIDENT_REASONS, IncidentReason, Location, ProofOfDelivery
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error, record_not_found
from haulier.kernel.values.device_times import DeviceClock, EventTime

R = TypeVar("R", bound=ReportRouteEvent)


async def correct_device_time(call: Call, request: R) -> R:
    """Return the request with `occurred_at` by the server's clock.

    A corrected time is recorded on the route.
    """
    if request.occurred_at is None:
        return request
    time = DeviceClock(received_at=call.now, sent_at=request.sent_at).read_time(request.occurred_at)
    await record_corrected_times(call, [request.route_id], [time])
    return request.model_copy(update={"occurred_at": time.at, "sent_at": None})


async def record_corrected_times(
    call: Call, route_ids: Collection[int], times: Collection[EventTime], *, driver_id: int | None = None
) -> None:
    """Record on routes that their device's clock is off.

    `driver_id` limits it to the routes of that driver.
    """
    off = [time for time in times if time.clock_corrected]
    if off and route_ids:
        largest = max((time.ahead_s for time in off), key=abs)
        since = min(time.at for time in off)
        await store.set_clock_off(call.work, route_ids, ahead_s=largest, since=since, driver_id=driver_id)


DISPUTED_PROOF_FIELDS = {"recipient", "signature_url", "photo_urls", "code"}


async def dispute_stop(call: Call, stop: StopRow, dispute: StopDispute, at: datetime) -> None:
    """Mark a stop as disputed, and notify its followers."""
    await mark_stop_disputed(call, stop.id, dispute)
    await call.publish(
        StopDisputed(route_id=stop.route_id, stop_id=stop.id, order_id=stop.order_id, dispute=dispute.value, at=at)
    )


async def record_refused_delivery(call: Call, request: CompleteStop) -> None:
    """Store the proof of a delivery at a stop that was cancelled or handed over.

    Any other stop is unchanged. Raises `NOT_FOUND` for a route that the caller may not see.
    """
    route = await get_visible_route(call, request.route_id, lock=True)
    stop = (await get_stop_rows(call, [request.stop_id])).get(request.stop_id)
    dispute = _dispute_of(stop, route.id) if stop else None
    if stop is None or dispute is None:
        return
    await store_disputed_proof(call, stop.id, request.model_dump(include=DISPUTED_PROOF_FIELDS), request.note)
    call.add_audit_subjects("order", stop.order_id)
    await dispute_stop(call, stop, dispute, request.occurred_at or call.now)


def _dispute_of(stop: StopRow, route_id: int) -> StopDispute | None:
    if stop.kind != StopKind.DELIVERY:
        return None
    if stop.route_id != route_id:
        return StopDispute.DELIVERED_AFTER_HAND_OVER if stop.handed_over_from == route_id else None
    return StopDispute.DELIVERED_AFTER_CANCEL if stop.status == StopStatus.CANCELLED else None


NOTHING_LEFT: Mapping[int, LeftPiece] = MappingProxyType({})
NOT_PICKED_UP_YET = declare_error("not_picked_up_yet", 409)
NOT_LOADED_YET = declare_error("not_loaded_yet", 409)
STOP_CANCELLED = declare_error("stop_cancelled", 409)
STOP_HANDED_OVER = declare_error("stop_handed_over", 409)


class StopVisit(Struct, frozen=True):
    """A stop, its route, which is locked, and every stop of that route."""

    route: RouteRow
    stops: Sequence[StopRow]
    stop: StopRow

    @property
    def status(self) -> StopStatus:
        """The status of the stop."""
        return StopStatus(self.stop.status)


async def lock_stop_visit(call: Call, request: ReportStopEvent) -> StopVisit:
    """A stop of a route that the caller may see; the route is locked.

    One that was handed over from there meanwhile is found as well, for what happened before that. Raises `NOT_FOUND` or
    `STOP_HANDED_OVER`.
    """
    route = await get_visible_route(call, request.route_id, lock=True)
    stops = await list_stops_of_routes(call, [route.id])
    for stop in stops:
        if stop.id == request.stop_id:
            return StopVisit(route, stops, stop)
    return await _lock_handed_over_visit(call, route, request)


async def _lock_handed_over_visit(call: Call, source: RouteRow, request: ReportStopEvent) -> StopVisit:
    stop = (await get_stop_rows(call, [request.stop_id])).get(request.stop_id)
    if stop is None or stop.handed_over_from != source.id or stop.handed_over_at is None:
        raise record_not_found(stop_id=request.stop_id)
    if (request.occurred_at or call.now) >= stop.handed_over_at:
        raise STOP_HANDED_OVER(stop_id=stop.id)
    route = (await store.get_route_rows(call.work, [stop.route_id], lock=True))[stop.route_id]
    return StopVisit(route, await list_stops_of_routes(call, [route.id]), stop)


async def record_arrival(call: Call, request: ReportStopEvent) -> StopAnswer:
    """Record the arrival at a stop.

    A repeated report changes nothing. A report after the end only adds the arrival time.
    """
    visit = await lock_stop_visit(call, request)
    if visit.stop.arrived_at is not None:
        return await load_stop_answer(call, visit.route, request)
    occurred_at = request.occurred_at or call.now
    ended_later = visit.stop.ended_at is not None and occurred_at <= visit.stop.ended_at
    status = visit.status if ended_later else _next_visited_stop_status(visit, StopAction.ARRIVE)
    await record_stop_arrival(call, visit.stop.id, status, occurred_at)
    mark_stop_changed(call, visit)
    await call.publish(
        StopArrived(route_id=visit.route.id, stop_id=visit.stop.id, order_id=visit.stop.order_id, at=occurred_at)
    )
    return await load_stop_answer(call, visit.route, request)


async def require_proof_at_door(call: Call, request: CompleteStop) -> None:
    """Refuse a driver's delivery without the required proof.

    Finished stops and pickups are not checked. Raises `NOT_FOUND` or `PROOF_INCOMPLETE`.
    """
    visit = await lock_stop_visit(call, request)
    if visit.status not in OPEN or visit.stop.kind != StopKind.DELIVERY:
        return
    if error := await call.adapter(ProofAtDoor).check(call, visit.stop.order_id, request):
        raise error


async def complete_stop(
    call: Call,
    request: CompleteStop,
    action: StopAction,
    left: Mapping[int, LeftPiece] = NOTHING_LEFT,
) -> StopAnswer:
    """Complete a stop, with its proof.

    A repeated report changes nothing. `left` are packages that were not handed over, by id. An order with a parcel in a
    locker is delivered when the recipient takes it out. At a stop cancelled in the meantime, the visit counts if it
    happened before.

    Raises `NOT_FOUND`, `ROUTE_CANNOT`, `STOP_CANNOT`, `STOP_CANCELLED`, `STOP_HANDED_OVER`, `NOT_PICKED_UP_YET`,
    `NOT_LOADED_YET`, or the error of the order.
    """
    visit = await lock_stop_visit(call, request)
    if COMPLETING_ACTION[StopKind(visit.stop.kind)] is not action:
        raise STOP_CANNOT(act=action.value, status=visit.status.value)
    if visit.status in SUCCESSFUL:
        return await load_stop_answer(call, visit.route, request)
    occurred_at = request.occurred_at or call.now
    status = _completed_stop_status(visit, action, occurred_at)
    if not is_picked_up_first(to_stop_state(visit.stop), to_stop_states(visit.stops)):
        raise NOT_PICKED_UP_YET()
    away_m = await _distance_to_device_m(call, visit, request)
    delivers = action is StopAction.DELIVER
    if not (delivers and await call.adapter(StopsAtLockers).was_put_in_locker(call, visit.stop.order_id)):
        await _apply_order_steps(call, visit, action, request, occurred_at, away_m, _pieces_left(left))
    await update_stops(
        call,
        [visit.stop.id],
        status,
        proof=request.model_dump(include=PROOF_FIELDS) | ({"left": list(left.values())} if left else {}),
        note=request.note,
        **_end_values(call, request, occurred_at, away_m),
        **COUNTED_AGAIN,
    )
    await _close_cancelled_visit(call, visit, action, occurred_at)
    mark_stop_changed(call, visit)
    await call.publish(
        StopCompleted(
            route_id=visit.route.id,
            stop_id=visit.stop.id,
            order_id=visit.stop.order_id,
            kind=visit.stop.kind,
            at=occurred_at,
        )
    )
    return await load_stop_answer(call, visit.route, request)


async def record_failed_stop(call: Call, request: FailStop) -> StopAnswer:
    """End a failed stop, and the other open stop of its order.

    A repeated report changes nothing. Neither does a report of a cancelled stop, because its goods come back anyway.
    Raises `NOT_FOUND`, `ROUTE_CANNOT`, `STOP_CANNOT`, or `INVALID_REQUEST` for an unknown tracking reason.
    """
    visit = await lock_stop_visit(call, request)
    repeated = visit.status in UNSUCCESSFUL and (visit.stop.outcome, visit.stop.reason) == (
        request.outcome,
        request.reason,
    )
    if repeated or visit.status is StopStatus.CANCELLED:
        return await load_stop_answer(call, visit.route, request)
    status = _next_visited_stop_status(visit, StopAction.FAIL)
    if request.reason not in INCIDENT_REASONS:
        raise INVALID_REQUEST.for_fields(FieldError("reason", "field.reason_unknown"))
    occurred_at = request.occurred_at or call.now
    reason = IncidentReason(code=request.reason, note=UNSET if request.note is None else request.note)
    location, away_m = _to_location(request.position), await _distance_to_device_m(call, visit, request)
    # Errors of the order are ignored: a cancelled order cannot fail, and its driver must be able to continue.
    step = await _get_failing_step(call, request, visit.stop.order_id)
    extensions = geofence_extension(away_m)
    await apply_order_transition(
        call, step, [visit.stop.order_id], at=occurred_at, reason=reason, location=location, extensions=extensions
    )
    await update_stops(
        call,
        [stop.id for stop in visit.stops if stop.order_id == visit.stop.order_id and stop.status in OPEN],
        status,
        outcome=request.outcome,
        reason=request.reason,
        return_reason=request.return_reason,
        proof={"photo_urls": request.photo_urls} if request.photo_urls else None,
        note=request.note,
        **_end_values(call, request, occurred_at, away_m),
    )
    mark_stop_changed(call, visit)
    await call.publish(
        StopFailed(
            route_id=visit.route.id,
            stop_id=visit.stop.id,
            order_id=visit.stop.order_id,
            reason=request.reason,
            outcome=request.outcome,
            at=occurred_at,
        )
    )
    return await load_stop_answer(call, visit.route, request)


async def _get_failing_step(call: Call, request: FailStop, order_id: int) -> OrderStep:
    """Return REJECT for a refused order, else FAIL.

    A refusal at a wrong address fails the collection alone.
    """
    if not is_refused(request.reason, request.outcome):
        return OrderStep.FAIL
    order = (await get_order_facts(call, [order_id])).get(order_id)
    return OrderStep.FAIL if order and order.goods_at else OrderStep.REJECT


PROOF_FIELDS = {"recipient", "signature_url", "photo_urls", "code", "handed_to", "left_at"}
COUNTED_AGAIN: dict[str, Any] = {"on_route": True, "reason": None}
"""Values of a completed stop that replace those of its cancellation."""


def _completed_stop_status(visit: StopVisit, action: StopAction, occurred_at: datetime) -> StopStatus:
    """Return the status of a completed stop.

    Raises `ROUTE_CANNOT`, `STOP_CANNOT`, `STOP_CANCELLED` or `NOT_LOADED_YET`.
    """
    if visit.status is not StopStatus.CANCELLED:
        return _next_visited_stop_status(visit, action)
    if visit.stop.ended_at is None or occurred_at >= visit.stop.ended_at:
        raise STOP_CANCELLED(stop_id=visit.stop.id)
    return StopStatus.COMPLETED


def _is_order_cancelled(visit: StopVisit) -> bool:
    return visit.status is StopStatus.CANCELLED and visit.stop.reason == StopCancelReason.ORDER_CANCELLED


async def _close_cancelled_visit(call: Call, visit: StopVisit, action: StopAction, at: datetime) -> None:
    """Handle a visit before the cancellation of its order.

    Goods are brought back; a delivery is disputed.
    """
    if not _is_order_cancelled(visit):
        return
    if action is StopAction.PICK_UP:
        onward = [s.id for s in visit.stops if s.order_id == visit.stop.order_id and s.id != visit.stop.id]
        await update_stops(call, onward, StopStatus.CANCELLED, on_route=True)
    else:
        await dispute_stop(call, visit.stop, StopDispute.DELIVERED_BEFORE_CANCEL, at)


def _next_visited_stop_status(visit: StopVisit, action: StopAction) -> StopStatus:
    if visit.stop.to_load:
        raise NOT_LOADED_YET(stop_id=visit.stop.id)
    next_route_status_or_raise(RouteAction.VISIT_STOPS, RouteStatus(visit.route.status))
    return STOP_LIFE.next_status_or_raise(action, visit.status)


async def _distance_to_device_m(call: Call, visit: StopVisit, request: ReportStopEvent) -> int | None:
    """Metres between the stop and the device, or None when one of them is unknown."""
    if request.position is None:
        return None
    order = (await get_order_facts(call, [visit.stop.order_id])).get(visit.stop.order_id)
    place = locate_stop(StopKind(visit.stop.kind), order)
    return distance_to_stop_m(place, (request.position.lat, request.position.lng))


async def _apply_order_steps(
    call: Call,
    visit: StopVisit,
    action: StopAction,
    request: CompleteStop,
    at: datetime,
    away_m: int | None,
    left: Sequence[PieceLeft],
) -> None:
    proof = ProofOfDelivery(
        recipient=request.recipient or UNSET,
        signature_url=request.signature_url or UNSET,
        photo_urls=tuple(request.photo_urls),
    )
    order_id = visit.stop.order_id
    location = _to_location(request.position)
    for step in _order_steps(visit, action):
        errors = await apply_order_transition(
            call,
            step,
            [order_id],
            at=at,
            pod=proof,
            location=location,
            extensions=geofence_extension(away_m),
            left=left,
            outcome=build_outcome(request.handed_to, request.recipient, request.left_at)
            if action is StopAction.DELIVER
            else None,
        )
        if order_id in errors:
            raise errors[order_id]
    if action is StopAction.DELIVER:
        await record_piece_outcomes(call, order_id, left)


def _pieces_left(left: Mapping[int, LeftPiece]) -> list[PieceLeft]:
    return [
        PieceLeft(id=id, tracking_number=piece.barcode, outcome=PieceOutcome(piece.outcome))
        for id, piece in left.items()
    ]


def _order_steps(visit: StopVisit, action: StopAction) -> tuple[OrderStep, ...]:
    """Return the steps of the order after its stop is completed.

    Goods collected for another recipient are in transit at once.
    """
    if _is_order_cancelled(visit):
        return (OrderStep.CONFIRM_DELIVERY,) if action is StopAction.DELIVER else ()
    if action is StopAction.DELIVER:
        return (OrderStep.DELIVER,)
    onward = any(stop.order_id == visit.stop.order_id and stop.kind == StopKind.DELIVERY for stop in visit.stops)
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


def mark_stop_changed(call: Call, visit: StopVisit) -> None:
    """Name a stop in the audit trail, and notify who watches its day."""
    call.add_audit_subjects("route", visit.route.id)
    call.add_audit_subjects("order", visit.stop.order_id)
    notify_day_changed(call, visit.route.day)


async def load_stop_answer(call: Call, route: RouteRow, request: ReportStopEvent) -> StopAnswer:
    """Load the answer about the stop of a report."""
    stops = await list_stops_of_routes(call, [route.id])
    stop = next(stop for stop in stops if stop.id == request.stop_id)
    orders = await get_order_facts(call, [stop.order_id])
    return StopAnswer(
        stop=serialize_route_stop(call, route, stops, stop, orders.get(stop.order_id)),
        route_status=RouteStatus(route.status),
    )


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
    """Reopen a failed stop, and the other stop of its order that failed with it.

    An open stop is unchanged. Raises `NOT_FOUND`, `ROUTE_CANNOT`, `STOP_CANNOT`, `STOP_HANDED_OVER`, or the error of
    the order.
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
