"""What happens at a stop: found and locked, judged, written, told to the order, announced."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct

from haulier.contexts.dispatch.events import StopArrived, StopCompleted, StopFailed
from haulier.contexts.dispatch.notices import give_notice
from haulier.contexts.dispatch.routes.contract import AtStop, FailStop, HandOver, Position, StopAnswer
from haulier.contexts.dispatch.routes.finding import stop_state, stop_states, visible_route
from haulier.contexts.dispatch.routes.rules.geofence import extension, metres_away, place_of_stop
from haulier.contexts.dispatch.routes.rules.machine import RouteAct, RouteStatus, must
from haulier.contexts.dispatch.routes.rules.occurrence import occurred
from haulier.contexts.dispatch.routes.rules.progress import picked_up_first
from haulier.contexts.dispatch.routes.showing import stop_record
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.dispatch.stops.rules import (
    COMPLETING,
    DONE,
    IN_VAIN,
    OPEN,
    StopAct,
    StopKind,
    StopStatus,
    after,
    turned_away,
)
from haulier.contexts.orders.public import Step, facts, take
from haulier.contexts.tracking.public import INCIDENT_REASONS, IncidentReason, Location, ProofOfDelivery
from haulier.kernel.call import Call
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault, problem

STOP_CANNOT = problem("stop_cannot", 409)
NOT_PICKED_UP_YET = problem("not_picked_up_yet", 409)


class Visit(Struct, frozen=True):
    """A stop, the route it is on, locked, and every stop of that route."""

    route: Any
    stops: Sequence[Any]
    stop: Any

    @property
    def status(self) -> StopStatus:
        """Where the stop stands."""
        return StopStatus(self.stop.status)


async def visit(call: Call, request: AtStop) -> Visit:
    """Find a stop on a route that the caller may drive. Raises `NOT_FOUND`."""
    route = await visible_route(call, request.route_id, lock=True)
    stops = await stop_store.of_routes(call.work, [route.id])
    for stop in stops:
        if stop.id == request.stop_id:
            return Visit(route, stops, stop)
    raise NOT_FOUND()


async def reach(call: Call, request: AtStop) -> StopAnswer:
    """Note the arrival at a stop. Said again, it changes nothing; heard of after the end, it only adds when it was."""
    seen = await visit(call, request)
    if seen.stop.arrived_at is not None:
        return await _answer(call, seen.route, request)
    at = occurred(request.occurred_at, call.now)
    before_the_end = seen.stop.ended_at is not None and at <= seen.stop.ended_at
    reached = seen.status if before_the_end else _must(seen, StopAct.ARRIVE)
    await stop_store.change(call.work, seen.stop.id, status=reached, arrived_at=at, arrived_recorded_at=call.now)
    _touch(call, seen)
    await call.announce(StopArrived(route_id=seen.route.id, stop_id=seen.stop.id, order_id=seen.stop.order_id, at=at))
    return await _answer(call, seen.route, request)


async def hand_over(call: Call, request: HandOver, act: StopAct) -> StopAnswer:
    """Complete a stop, with its proof. Said again, it changes nothing. Raises what the order's own rules say against it."""
    seen = await visit(call, request)
    if COMPLETING[StopKind(seen.stop.kind)] is not act:
        raise STOP_CANNOT(act=act.value, status=seen.status.value)
    if seen.status in DONE:
        return await _answer(call, seen.route, request)
    reached = _must(seen, act)
    if not picked_up_first(stop_state(seen.stop), stop_states(seen.stops)):
        raise NOT_PICKED_UP_YET()
    at = occurred(request.occurred_at, call.now)
    away_m = await _away_m(call, seen, request)
    await _tell_order(call, seen, act, request, at, away_m)
    await stop_store.change(
        call.work,
        seen.stop.id,
        status=reached,
        proof=request.model_dump(include={"recipient", "signature_url", "photo_urls", "code"}),
        note=request.note,
        **_ended(call, request, at, away_m),
    )
    _touch(call, seen)
    await call.announce(
        StopCompleted(
            route_id=seen.route.id,
            stop_id=seen.stop.id,
            order_id=seen.stop.order_id,
            kind=seen.stop.kind,
            at=at,
        )
    )
    return await _answer(call, seen.route, request)


async def give_up(call: Call, request: FailStop) -> StopAnswer:
    """End a stop in vain. Said again with the same reason and outcome, it changes nothing.

    Raises `INVALID_REQUEST` for a reason that tracking does not know.
    """
    seen = await visit(call, request)
    if seen.status in IN_VAIN and (seen.stop.outcome, seen.stop.reason) == (request.outcome, request.reason):
        return await _answer(call, seen.route, request)
    reached = _must(seen, StopAct.FAIL)
    if request.reason not in INCIDENT_REASONS:
        raise INVALID_REQUEST.at(Fault("reason", "field.reason_unknown"))
    at = occurred(request.occurred_at, call.now)
    reason = IncidentReason(code=request.reason, note=UNSET if request.note is None else request.note)
    where, away_m = _where(request.position), await _away_m(call, seen, request)
    # An order that cannot fail any more (it was cancelled on the way) does not keep its driver at the door.
    step = Step.REJECT if turned_away(request.reason, request.outcome) else Step.FAIL
    told = extension(away_m)
    await take(call, step, [seen.stop.order_id], at=at, reason=reason, location=where, extensions=told)
    await stop_store.change_all(
        call.work,
        [stop.id for stop in seen.stops if stop.order_id == seen.stop.order_id and stop.status in OPEN],
        status=reached,
        outcome=request.outcome,
        reason=request.reason,
        return_reason=request.return_reason,
        proof={"photo_urls": request.photo_urls} if request.photo_urls else None,
        note=request.note,
        **_ended(call, request, at, away_m),
    )
    _touch(call, seen)
    await call.announce(
        StopFailed(
            route_id=seen.route.id,
            stop_id=seen.stop.id,
            order_id=seen.stop.order_id,
            reason=request.reason,
            outcome=request.outcome,
            at=at,
        )
    )
    return await _answer(call, seen.route, request)


def _must(seen: Visit, act: StopAct) -> StopStatus:
    must(RouteAct.VISIT_STOPS, RouteStatus(seen.route.status))
    reached = after(act, seen.status)
    if reached is None:
        raise STOP_CANNOT(act=act.value, status=seen.status.value)
    return reached


async def _away_m(call: Call, seen: Visit, request: AtStop) -> int | None:
    """Metres between the stop and the device, when both are known."""
    if request.position is None:
        return None
    order = (await facts(call, [seen.stop.order_id])).get(seen.stop.order_id)
    place = place_of_stop(StopKind(seen.stop.kind), order)
    return metres_away(place, (request.position.lat, request.position.lng))


async def _tell_order(
    call: Call, seen: Visit, act: StopAct, request: HandOver, at: datetime, away_m: int | None
) -> None:
    proof = ProofOfDelivery(
        recipient=request.recipient or UNSET,
        signature_url=request.signature_url or UNSET,
        photo_urls=tuple(request.photo_urls),
    )
    order_id = seen.stop.order_id
    where = _where(request.position)
    for step in _steps(seen, act):
        refused = await take(call, step, [order_id], at=at, pod=proof, location=where, extensions=extension(away_m))
        if order_id in refused:
            raise refused[order_id]


def _steps(seen: Visit, act: StopAct) -> tuple[Step, ...]:
    """What a completed stop means for its order: what is collected for a person further on is on its way at once."""
    if act is StopAct.DELIVER:
        return (Step.DELIVER,)
    onward = any(stop.order_id == seen.stop.order_id and stop.kind == StopKind.DELIVERY for stop in seen.stops)
    return (Step.PICK_UP, Step.START) if onward else (Step.PICK_UP,)


def _ended(call: Call, request: AtStop, at: datetime, away_m: int | None) -> dict[str, Any]:
    return {
        "ended_at": at,
        "ended_recorded_at": call.now,
        "ended_by": call.actor,
        "ended_lat": request.position.lat if request.position else None,
        "ended_lng": request.position.lng if request.position else None,
        "ended_distance_m": away_m,
    }


def _where(position: Position | None) -> Location | None:
    return Location(lat=position.lat, lng=position.lng) if position else None


def _touch(call: Call, seen: Visit) -> None:
    call.concerns("route", seen.route.id)
    call.concerns("order", seen.stop.order_id)
    give_notice(call, seen.route.day)


async def _answer(call: Call, route: Any, request: AtStop) -> StopAnswer:
    stops = await stop_store.of_routes(call.work, [route.id])
    stop = next(each for each in stops if each.id == request.stop_id)
    orders = await facts(call, [stop.order_id])
    return StopAnswer(
        stop=stop_record(call, route, stops, stop, orders.get(stop.order_id)),
        route_status=RouteStatus(route.status),
    )
