"""What a driver does on a route, by whichever way we hear of it: at once, or later out of the offline queue."""

from typing import Any

from msgspec import Struct

from haulier.contexts.driver_app.policy.store import load_rider_policy
from haulier.contexts.driver_app.proof.actions.uploads import get_upload_urls
from haulier.contexts.driver_app.proof.contract import CompleteRiderStop, FailRiderStop
from haulier.contexts.driver_app.proof.rules import DriverStopProof, check_delivery_proof, check_failure_proof
from haulier.contexts.orders.public import (
    OrderStep,
    apply_order_transition,
    get_order_facts,
    get_return_reason,
)
from haulier.contexts.routes.routes.actions.stop_visits import complete_stop, lock_stop_visit, record_failed_stop
from haulier.contexts.routes.routes.contract.routes import CompleteStop, FailStop, ReportStopEvent, StopAnswer
from haulier.contexts.routes.routes.rules.event_time import resolve_event_time
from haulier.contexts.routes.routes.rules.geofence import distance_to_stop_m, locate_stop
from haulier.contexts.routes.stops.rules import OPEN, FailedStopOutcome, StopAction, StopKind
from haulier.contexts.tracking.public import INCIDENT_REASONS
from haulier.kernel.call import Call

HOLD_ORDER, OTHER_REASON = "hold", "other"


class StopProximity(Struct, frozen=True):
    """A stop that is still open, and how far from it the driver is."""

    open: bool
    away_m: int | None


async def complete_stop_with_proof(call: Call, driver: Any, request: CompleteRiderStop, act: StopAction) -> StopAnswer:
    """Complete a stop with what proves it. What the client asks of a delivery is asked once, while the stop is open."""
    door = await _stop_proximity(call, request)
    if door.open and act is StopAction.DELIVER:
        shown = _stop_proof(request, door, recipient=request.recipient, signature=request.signature)
        if refusal := check_delivery_proof(await load_rider_policy(call.work), shown):
            raise refusal
    names = [*request.photos, *([request.signature] if request.signature else [])]
    found = await get_upload_urls(call, driver, names) if door.open else {}
    plain = request.model_dump(exclude={"signature", "photos", "position"})
    told = CompleteStop(
        **plain,
        position=request.position,
        signature_url=found.get(request.signature or ""),
        photo_urls=[found[name] for name in request.photos if name in found],
    )
    return await complete_stop(call, told, act)


async def fail_stop_with_proof(call: Call, driver: Any, request: FailRiderStop) -> StopAnswer:
    """Give a stop up for a reason of the client's list, or for one that tracking knows.

    A device that tells of it later may name one that was taken off the list meanwhile: to tracking, that is another reason.
    """
    door = await _stop_proximity(call, request)
    reason = await get_return_reason(call, request.reason)
    gone = reason is None and request.occurred_at is not None and request.reason not in INCIDENT_REASONS
    if door.open and reason:
        shown = _stop_proof(request, door)
        if refusal := check_failure_proof(shown, asks_photo=reason.asks_photo, asks_note=reason.asks_note):
            raise refusal
    next_step = reason.next_step if reason else FailedStopOutcome.RETRY.value
    outcome = request.outcome or (
        FailedStopOutcome.RETURN if next_step == FailedStopOutcome.RETURN else FailedStopOutcome.RETRY
    )
    found = await get_upload_urls(call, driver, request.photos) if door.open else {}
    told = FailStop(
        **request.model_dump(include={"route_id", "stop_id", "occurred_at", "note"}),
        position=request.position,
        reason=reason.otep_reason if reason else OTHER_REASON if gone else request.reason,
        outcome=outcome,
        return_reason=request.reason if reason or gone else None,
        photo_urls=[found[name] for name in request.photos if name in found],
    )
    answer = await record_failed_stop(call, told)
    if door.open and request.outcome is None and next_step == HOLD_ORDER:
        at = resolve_event_time(request.occurred_at, call.now)
        await apply_order_transition(call, OrderStep.HOLD, [answer.stop.order_id], at=at, note=request.reason)
    return answer


async def _stop_proximity(call: Call, request: ReportStopEvent) -> StopProximity:
    seen = await lock_stop_visit(call, request)
    if seen.status not in OPEN or request.position is None:
        return StopProximity(seen.status in OPEN, None)
    order = (await get_order_facts(call, [seen.stop.order_id])).get(seen.stop.order_id)
    place = locate_stop(StopKind(seen.stop.kind), order)
    return StopProximity(True, distance_to_stop_m(place, (request.position.lat, request.position.lng)))


def _stop_proof(
    request: CompleteRiderStop | FailRiderStop, door: StopProximity, **words: str | None
) -> DriverStopProof:
    return DriverStopProof(
        photos=request.photos,
        note=request.note,
        position_known=request.position is not None,
        away_m=door.away_m,
        **words,
    )
