"""Completing and failing stops with proof: for the app's operations at once, and for the offline queue later."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from haulier.contexts.driver_app.handovers.queries import load_delivery_demands
from haulier.contexts.driver_app.proof.actions.uploads import find_upload_urls, get_upload_urls
from haulier.contexts.driver_app.proof.contract import CompleteRiderStop, FailRiderStop
from haulier.contexts.driver_app.proof.rules import (
    DriverStopProof,
    check_delivery_proof,
    check_failure_proof,
    faults_of_pieces,
)
from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.lockers.public import was_put_in_locker
from haulier.contexts.orders.public import (
    OrderStep,
    apply_order_transition,
    check_delivery_pin,
    get_order_facts,
    get_return_reason,
    list_order_pieces,
)
from haulier.contexts.routes.public import complete_stop, keep_refused_delivery, lock_stop_visit, record_failed_stop
from haulier.contexts.routes.routes.contract.routes import (
    CompleteStop,
    FailStop,
    LeftPiece,
    ReportStopEvent,
    StopAnswer,
)
from haulier.contexts.routes.routes.rules.geofence import distance_to_stop_m, locate_stop
from haulier.contexts.routes.stops.rules import (
    OPEN,
    PROOF_INCOMPLETE,
    FailedStopOutcome,
    StopAction,
    StopKind,
    StopStatus,
)
from haulier.contexts.settlements.cash_on_delivery.rules.entries import CodPart
from haulier.contexts.settlements.public import DeliveredStop, record_cod_taken
from haulier.contexts.tracking.public import INCIDENT_REASONS
from haulier.kernel.call import Call

HOLD_ORDER, OTHER_REASON = "hold", "other"
COMPLETION_FIELDS = {"route_id", "stop_id", "occurred_at", "recipient", "note", "code", "handed_to", "left_at"}
"""What the completion of a stop keeps of the driver's report under the same name."""


class StopProximity(Struct, frozen=True):
    """Whether a stop may still end, and how far the driver is from it, in metres; None where one place is not known.

    One that was cancelled may have ended before that.
    """

    order_id: int
    open: bool
    away_m: int | None


async def complete_stop_with_proof(
    call: Call, driver: DriverRow, request: CompleteRiderStop, action: StopAction
) -> StopAnswer:
    """Complete a stop with its proof. The client's rules for a delivery are checked only while the stop is open.

    Raises `PROOF_INCOMPLETE`, `PIN_WRONG`, `PIN_BLOCKED`, `TOO_FAR_FROM_STOP`, `UPLOAD_MISSING`, and what `complete_stop`
    raises.
    """
    proximity = await _stop_proximity(call, request)
    if proximity.open and action is StopAction.DELIVER and not await was_put_in_locker(call, proximity.order_id):
        await _require_delivery_proof(call, request, proximity)
    urls = await get_upload_urls(call, driver, _upload_names(request)) if proximity.open else {}
    left = await _pieces_left(call, request, proximity, urls) if action is StopAction.DELIVER else {}
    answer = await complete_stop(call, _to_completion(request, urls), action, left)
    if action is StopAction.DELIVER:
        await _record_money(call, driver, request, answer)
    return answer


async def keep_proof_of_refused_delivery(call: Call, driver: DriverRow, request: CompleteRiderStop) -> None:
    """Keep what proves a delivery that was refused because its stop was cancelled or handed over before, for the office.

    Any other refused delivery leaves nothing behind.
    """
    urls = await find_upload_urls(call, driver, _upload_names(request))
    await keep_refused_delivery(call, _to_completion(request, urls))


def _upload_names(request: CompleteRiderStop) -> list[str]:
    names = [*request.photos, *([request.signature] if request.signature else [])]
    return names + [name for piece in request.pieces for name in piece.photos]


def _to_completion(request: CompleteRiderStop, urls: Mapping[str, str]) -> CompleteStop:
    """The completion of a stop, its files named by their addresses."""
    fields = request.model_dump(include=COMPLETION_FIELDS)
    return CompleteStop(
        **fields,
        position=request.position,
        signature_url=urls.get(request.signature or ""),
        photo_urls=[urls[name] for name in request.photos if name in urls],
    )


async def _require_delivery_proof(call: Call, request: CompleteRiderStop, proximity: StopProximity) -> None:
    proof = _stop_proof(
        request,
        proximity,
        recipient=request.recipient,
        handed_to=request.handed_to,
        signature=request.signature,
        pin=request.pin,
        age_checked=request.age_checked,
        cod=_taken(request),
        cod_reason=request.cod_reason,
    )
    demands = await load_delivery_demands(call, proximity.order_id)
    if error := check_delivery_proof(demands.proof, demands.due, proof):
        raise error
    # Why: a dry run compares no PIN, or it would be a way to guess one uncounted.
    if request.pin is None or call.dry_run:
        return
    if error := await check_delivery_pin(call, proximity.order_id, request.pin):
        raise error


async def _pieces_left(
    call: Call, request: CompleteRiderStop, proximity: StopProximity, urls: Mapping[str, str]
) -> dict[int, LeftPiece]:
    """The pieces that were not handed over, by id. Raises `PROOF_INCOMPLETE` for one that is not of this order."""
    if not request.pieces or not proximity.open:
        return {}
    ids = {piece.tracking_number: piece.id for piece in await list_order_pieces(call, [proximity.order_id])}
    if faults := tuple(faults_of_pieces(request.pieces, ids)):
        raise PROOF_INCOMPLETE.for_fields(*faults)
    return {
        ids[piece.barcode.upper()]: LeftPiece(
            barcode=piece.barcode.upper(),
            outcome=piece.outcome.value,
            note=piece.note,
            photo_urls=[urls[name] for name in piece.photos if name in urls],
        )
        for piece in request.pieces
    }


async def _record_money(call: Call, driver: DriverRow, request: CompleteRiderStop, answer: StopAnswer) -> None:
    """Record what was taken, also where the office reported the delivery before the driver did: the money is there."""
    stop = answer.stop
    if stop.ended_at is None:
        return
    delivered = DeliveredStop(
        order_id=stop.order_id,
        stop_id=stop.id,
        driver_id=driver.id,
        contractor_id=driver.contractor_id,
        at=stop.ended_at,
    )
    await record_cod_taken(call, delivered, _taken(request), request.cod_reason)


def _taken(request: CompleteRiderStop) -> list[CodPart]:
    return [CodPart(method=part.method, amount_minor=part.amount_minor) for part in request.cod]


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
        occurred_at = request.occurred_at or call.now
        await apply_order_transition(call, OrderStep.HOLD, [answer.stop.order_id], at=occurred_at, note=request.reason)
    return answer


async def _stop_proximity(call: Call, request: ReportStopEvent) -> StopProximity:
    visit = await lock_stop_visit(call, request)
    may_still_end = visit.status in OPEN or visit.status is StopStatus.CANCELLED
    if not may_still_end or request.position is None:
        return StopProximity(visit.stop.order_id, may_still_end, None)
    order = (await get_order_facts(call, [visit.stop.order_id])).get(visit.stop.order_id)
    place = locate_stop(StopKind(visit.stop.kind), order)
    return StopProximity(
        visit.stop.order_id, True, distance_to_stop_m(place, (request.position.lat, request.position.lng))
    )


def _stop_proof(request: CompleteRiderStop | FailRiderStop, proximity: StopProximity, **parts: Any) -> DriverStopProof:
    return DriverStopProof(
        photos=request.photos,
        note=request.note,
        position_known=request.position is not None,
        away_m=proximity.away_m,
        **parts,
    )
