"""Completing and failing stops with proof: for the app's operations at once, and for the offline queue later."""

from collections.abc import Mapping

from msgspec import Struct

from haulier.contexts.driver_app.policy.queries import load_rider_policy
from haulier.contexts.driver_app.proof.actions.uploads import find_upload_urls, get_upload_urls
from haulier.contexts.driver_app.proof.contract import CompleteRiderStop, FailRiderStop
from haulier.contexts.driver_app.proof.rules import DriverStopProof, check_delivery_proof, check_failure_proof
from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.orders.public import (
    OrderStep,
    apply_order_transition,
    get_order_facts,
    get_return_reason,
)
from haulier.contexts.routes.public import complete_stop, keep_refused_delivery, lock_stop_visit, record_failed_stop
from haulier.contexts.routes.routes.contract.routes import CompleteStop, FailStop, ReportStopEvent, StopAnswer
from haulier.contexts.routes.routes.rules.event_time import resolve_event_time
from haulier.contexts.routes.routes.rules.geofence import distance_to_stop_m, locate_stop
from haulier.contexts.routes.stops.rules import OPEN, FailedStopOutcome, StopAction, StopKind, StopStatus
from haulier.contexts.tracking.public import INCIDENT_REASONS
from haulier.kernel.call import Call

HOLD_ORDER, OTHER_REASON = "hold", "other"


class StopProximity(Struct, frozen=True):
    """Whether a stop may still end, and how far the driver is from it, in metres; None where one place is not known.

    One that was cancelled may have ended before that.
    """

    open: bool
    away_m: int | None


async def complete_stop_with_proof(
    call: Call, driver: DriverRow, request: CompleteRiderStop, action: StopAction
) -> StopAnswer:
    """Complete a stop with its proof. The client's rules for a delivery are checked only while the stop is open.

    Raises `PROOF_INCOMPLETE`, `TOO_FAR_FROM_STOP`, `UPLOAD_MISSING`, and what `complete_stop` raises.
    """
    proximity = await _stop_proximity(call, request)
    if proximity.open and action is StopAction.DELIVER:
        proof = _stop_proof(request, proximity, recipient=request.recipient, signature=request.signature)
        if error := check_delivery_proof(await load_rider_policy(call), proof):
            raise error
    urls = await get_upload_urls(call, driver, _upload_names(request)) if proximity.open else {}
    return await complete_stop(call, _to_completion(request, urls), action)


async def keep_proof_of_refused_delivery(call: Call, driver: DriverRow, request: CompleteRiderStop) -> None:
    """Keep what proves a delivery that was refused because its stop was cancelled or handed over before, for the office.

    Any other refused delivery leaves nothing behind.
    """
    urls = await find_upload_urls(call, driver, _upload_names(request))
    await keep_refused_delivery(call, _to_completion(request, urls))


def _upload_names(request: CompleteRiderStop) -> list[str]:
    return [*request.photos, *([request.signature] if request.signature else [])]


def _to_completion(request: CompleteRiderStop, urls: Mapping[str, str]) -> CompleteStop:
    """The completion of a stop, its files named by their addresses."""
    return CompleteStop(
        **request.model_dump(exclude={"signature", "photos", "position"}),
        position=request.position,
        signature_url=urls.get(request.signature or ""),
        photo_urls=[urls[name] for name in request.photos if name in urls],
    )


async def fail_stop_with_proof(call: Call, driver: DriverRow, request: FailRiderStop) -> StopAnswer:
    """Fail a stop for a return reason of the client, or for an incident reason of tracking."""
    proximity = await _stop_proximity(call, request)
    reason = await get_return_reason(call, request.reason)
    # Why: a device that reports later may name a reason that the client deleted meanwhile. Refusing would lose the event,
    # so tracking gets `other`, and the stop keeps the code that the driver chose.
    deleted = reason is None and request.occurred_at is not None and request.reason not in INCIDENT_REASONS
    if proximity.open and reason:
        proof = _stop_proof(request, proximity)
        if error := check_failure_proof(proof, asks_photo=reason.asks_photo, asks_note=reason.asks_note):
            raise error
    next_step = reason.next_step if reason else FailedStopOutcome.RETRY.value
    outcome = request.outcome or (
        FailedStopOutcome.RETURN if next_step == FailedStopOutcome.RETURN else FailedStopOutcome.RETRY
    )
    urls = await get_upload_urls(call, driver, request.photos) if proximity.open else {}
    failure = FailStop(
        **request.model_dump(include={"route_id", "stop_id", "occurred_at", "note"}),
        position=request.position,
        reason=reason.otep_reason if reason else OTHER_REASON if deleted else request.reason,
        outcome=outcome,
        return_reason=request.reason if reason or deleted else None,
        photo_urls=[urls[name] for name in request.photos if name in urls],
    )
    answer = await record_failed_stop(call, failure)
    if proximity.open and request.outcome is None and next_step == HOLD_ORDER:
        occurred_at = resolve_event_time(request.occurred_at, call.now)
        await apply_order_transition(call, OrderStep.HOLD, [answer.stop.order_id], at=occurred_at, note=request.reason)
    return answer


async def _stop_proximity(call: Call, request: ReportStopEvent) -> StopProximity:
    visit = await lock_stop_visit(call, request)
    may_still_end = visit.status in OPEN or visit.status is StopStatus.CANCELLED
    if not may_still_end or request.position is None:
        return StopProximity(may_still_end, None)
    order = (await get_order_facts(call, [visit.stop.order_id])).get(visit.stop.order_id)
    place = locate_stop(StopKind(visit.stop.kind), order)
    return StopProximity(True, distance_to_stop_m(place, (request.position.lat, request.position.lng)))


def _stop_proof(
    request: CompleteRiderStop | FailRiderStop, proximity: StopProximity, **parts: str | None
) -> DriverStopProof:
    return DriverStopProof(
        photos=request.photos,
        note=request.note,
        position_known=request.position is not None,
        away_m=proximity.away_m,
        **parts,
    )
