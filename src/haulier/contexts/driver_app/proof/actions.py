"""Writes of proof of delivery for other families."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from msgspec import Struct
from pydantic import Field

from haulier.contexts.documents.public import (
    FileUpload,
    declare_personal_files,
    is_same_file,
    register_file_access,
    save_upload,
)
from haulier.contexts.driver_app.fields import UploadName
from haulier.contexts.driver_app.handovers.queries import load_delivery_demands
from haulier.contexts.driver_app.ports import was_put_in_locker
from haulier.contexts.driver_app.proof import store
from haulier.contexts.driver_app.proof.contract import CompleteRiderStop, FailRiderStop
from haulier.contexts.driver_app.proof.rules import (
    DriverStopProof,
    check_delivery_proof,
    check_failure_proof,
    faults_of_pieces,
)
from haulier.contexts.fleet.public import DriverRow, lock_drivers
from haulier.contexts.orders.public import (
    PIN_WRONG,
    OrderStep,
    apply_order_transition,
    check_delivery_pin,
    count_wrong_pin,
    get_order_facts,
    get_return_reason,
    list_order_pieces,
)
from haulier.contexts.routes.public import (
    complete_stop,
    get_stop_rows,
    get_visible_route,
    lock_stop_visit,
    record_failed_stop,
    record_refused_delivery,
)
from haulier.contexts.routes.routes.contract import CompleteStop, FailStop, LeftPiece, ReportStopEvent, StopAnswer
from haulier.contexts.routes.routes.rules.sequence import distance_to_stop_m, locate_stop
from haulier.contexts.routes.stops.rules import (
    OPEN,
    PROOF_INCOMPLETE,
    FailedStopOutcome,
    StopAction,
    StopKind,
    StopStatus,
)
from haulier.contexts.settlements.cash_on_delivery.rules import CodPart
from haulier.contexts.settlements.public import DeliveredStop, record_cod_collected
from haulier.contexts.tracking.public import INCIDENT_REASONS
from haulier.kernel.call import Call, call_as
from haulier.kernel.data.personal_data import PersonKey, RecordKind
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.errors import NOT_FOUND, FieldError, OperationError, declare_error, record_not_found
from haulier.kernel.operations.ids import RefersTo, StopId
from haulier.kernel.request_context import RequestContext


async def count_wrong_pin_first(context: RequestContext, request: CompleteRiderStop) -> None:
    """Refuse a wrong PIN before the delivery begins.

    It is counted in a separate transaction. A dry run compares no PIN, because it would allow uncounted guesses. Raises
    `PIN_WRONG` or `PIN_BLOCKED`.
    """
    if request.pin is None or context.dry_run:
        return
    async with context.app.database.write(context.principal.client_id) as work:
        error = await count_if_wrong(call_as(context.app, context.principal, work), request)
    if error:
        raise error


async def count_if_wrong(call: Call, request: CompleteRiderStop) -> OperationError | None:
    """Return the error for a wrong PIN, or None.

    A wrong PIN is counted at an open stop of the caller.
    """
    order_id = await _open_order_of_stop(call, request)
    if order_id is None or request.pin is None:
        return None
    error = await check_delivery_pin(call, order_id, request.pin)
    if error and error.error_type is PIN_WRONG:
        await count_wrong_pin(call, order_id)
    return error


async def _open_order_of_stop(call: Call, request: CompleteRiderStop) -> int | None:
    stop = (await get_stop_rows(call, [request.stop_id])).get(request.stop_id)
    if stop is None or stop.route_id != request.route_id or stop.status not in OPEN:
        return None
    try:
        await get_visible_route(call, stop.route_id)
    except OperationError as error:
        if error.error_type is NOT_FOUND:
            return None
        raise
    return stop.order_id


class DriverProofAtDoor:
    """Implements the port `ProofAtDoor` of routes."""

    async def check(self, call: Call, order_id: int, request: CompleteStop) -> OperationError | None:
        """Return the error that prevents completing a delivery with this proof, or None.

        PIN, age check and money have no field here.
        """
        if await was_put_in_locker(call, order_id):
            return None
        proof = DriverStopProof(
            recipient=request.recipient,
            handed_to=request.handed_to,
            signature=request.signature_url,
            photos=request.photo_urls,
            position_known=request.position is not None,
        )
        demands = await load_delivery_demands(call, order_id)
        return check_delivery_proof(demands.proof, demands.due, proof)


UPLOAD_MISSING = declare_error("upload_missing", 409)
UPLOAD_ID_TAKEN = declare_error("upload_id_taken", 409)


class UploadProof(FileUpload):
    """A file that proves what happened at a stop."""

    stop_id: StopId
    """The stop."""
    upload_id: Annotated[UploadName, RefersTo(None)] = Field(examples=["6f1c2b7e-photo-1"])
    """The device's own name for the file, unique among its driver's. Under it the file is named at the door, also before it
    is uploaded."""


async def store_proof_upload(call: Call, driver: DriverRow, request: UploadProof) -> tuple[int, bool]:
    """Store a file, and return its id and whether it was stored before.

    Raises `NOT_FOUND` for a stop that the driver may not see.
    """
    await lock_drivers(call, [driver.id])
    if earlier := (await store.get_uploads_by_name(call.work, driver.id, [request.upload_id])).get(request.upload_id):
        await _require_same_upload(call, earlier, request)
        return earlier.file_id, True
    await _require_visible_stop(call, request.stop_id)
    file_id = await save_upload(call, request, about=f"stop:{request.stop_id}")
    await store.insert_upload(
        call.work,
        driver_id=driver.id,
        upload_id=request.upload_id,
        stop_id=request.stop_id,
        file_id=file_id,
        created_at=call.now,
    )
    return file_id, False


async def _require_same_upload(call: Call, earlier: store.UploadRow, request: UploadProof) -> None:
    """Raise `UPLOAD_ID_TAKEN` if another file is stored under the id.

    The error names the fields that differ.
    """
    faults: list[FieldError] = []
    if earlier.stop_id != request.stop_id:
        faults.append(FieldError("stop_id", "field.upload_of_other_stop", {"stop_id": earlier.stop_id}))
    if not await is_same_file(call, earlier.file_id, request):
        faults.append(FieldError("content", "field.upload_of_other_file", {"file_id": earlier.file_id}))
    if faults:
        raise UPLOAD_ID_TAKEN.for_fields(*faults, upload_id=request.upload_id)


async def get_upload_urls(call: Call, driver: DriverRow, names: Sequence[str]) -> dict[str, str]:
    """Return the addresses of the files with these names.

    Raises `UPLOAD_MISSING` if a file is not uploaded yet.
    """
    urls = await find_upload_urls(call, driver, names)
    if missing := [name for name in names if name not in urls]:
        raise UPLOAD_MISSING(upload_id=missing[0])
    return urls


async def find_upload_urls(call: Call, driver: DriverRow, names: Sequence[str]) -> dict[str, str]:
    """The addresses of those files with these names that are uploaded."""
    rows = await store.get_uploads_by_name(call.work, driver.id, names)
    return {name: f"{call.app.base_url}/api/v1/files/{row.file_id}" for name, row in rows.items()}


declare_personal_files("stop", PersonKey.STOP, RecordKind.PROOFS)


@register_file_access("stop", Scope.ROUTES_READ)
async def can_see_stop(call: Call, stop_id: int) -> bool:
    """Return True if the caller may see the stop.

    Files of stops follow the visibility of their route.
    """
    try:
        await _require_visible_stop(call, stop_id)
    except OperationError:
        return False
    return True


async def _require_visible_stop(call: Call, stop_id: int) -> None:
    stop = (await get_stop_rows(call, [stop_id])).get(stop_id)
    if stop is None:
        raise record_not_found(stop_id=stop_id)
    await get_visible_route(call, stop.route_id)


HOLD_ORDER, OTHER_REASON = "hold", "other"
COMPLETION_FIELDS = {"route_id", "stop_id", "occurred_at", "recipient", "note", "code", "handed_to", "left_at"}
"""Fields of the driver's report that the completed stop stores under the same name."""


class StopProximity(Struct, frozen=True):
    """Possible end of a stop, and the driver's distance in metres (None if unknown).

    A cancelled stop may have ended before its cancellation.
    """

    order_id: int
    open: bool
    away_m: int | None


async def complete_stop_with_proof(
    call: Call, driver: DriverRow, request: CompleteRiderStop, action: StopAction
) -> StopAnswer:
    """Complete a stop with its proof.

    The client's delivery rules are only checked while the stop is open. Raises `PROOF_INCOMPLETE`, `PIN_WRONG`,
    `PIN_BLOCKED`, `TOO_FAR_FROM_STOP`, `UPLOAD_MISSING`, and the errors of `complete_stop`.
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


async def store_refused_proof(call: Call, driver: DriverRow, request: CompleteRiderStop) -> None:
    """Store the proof of a delivery refused because its stop moved or was cancelled.

    Staff can then review it. Other refused deliveries leave nothing.
    """
    urls = await find_upload_urls(call, driver, _upload_names(request))
    await record_refused_delivery(call, _to_completion(request, urls))


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
    # A dry run compares no PIN, because it would allow uncounted guesses.
    if request.pin is None or call.dry_run:
        return
    if error := await check_delivery_pin(call, proximity.order_id, request.pin):
        raise error


async def _pieces_left(
    call: Call, request: CompleteRiderStop, proximity: StopProximity, urls: Mapping[str, str]
) -> dict[int, LeftPiece]:
    """Return the packages that were not handed over, by id.

    Raises `PROOF_INCOMPLETE` for a package of another order.
    """
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
    """Record collected cash, even if staff reported the delivery first."""
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
    await record_cod_collected(call, delivered, _taken(request), request.cod_reason)


def _taken(request: CompleteRiderStop) -> list[CodPart]:
    return [CodPart(method=part.method, amount_minor=part.amount_minor) for part in request.cod]


async def fail_stop_with_proof(call: Call, driver: DriverRow, request: FailRiderStop) -> StopAnswer:
    """Fail a stop with a return reason of the client, or a tracking reason."""
    proximity = await _stop_proximity(call, request)
    reason = await get_return_reason(call, request.reason)
    # A late report may name a reason that was deleted in the meantime. Refusing would lose the event, so tracking gets
    # `other`, and the stop keeps the driver's code.
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
