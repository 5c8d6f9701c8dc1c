"""Writes of partners for other families.

They have the same times and name the partner as the source.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct

from haulier.contexts.marketplace.partners import store
from haulier.contexts.marketplace.partners.contract import ReportPartnerOrder
from haulier.contexts.marketplace.partners.queries import as_offering_client, as_taking_client
from haulier.contexts.marketplace.partners.rules import (
    CODES_OF_STATUS,
    FINAL_REPORTS,
    REPORT_OF_STATUS,
    THIRD_PARTY,
    PartnerOfferStatus,
    PartnerReport,
    steps_to_status,
)
from haulier.contexts.marketplace.partners.store import PartnerOfferRow
from haulier.contexts.orders.public import (
    AgreedPrice,
    OrderFacts,
    OrderPiece,
    OrderStatus,
    OrderStep,
    OrderStepTaken,
    PieceLeft,
    PieceOutcome,
    apply_order_transition,
    assign_orders_to_third_party,
    create_partner_copy,
    find_piece_faults,
    get_order_facts,
    get_order_for_partner,
    list_order_pieces,
    list_order_steps,
    record_piece_outcomes,
)
from haulier.contexts.otep.public import DeliveryOutcome, HandedTo, build_outcome
from haulier.contexts.tracking.public import ProofOfDelivery, Source, TrackingEvent, list_order_events
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.operations.fields import REASON_MAX

DEPARTED_STATUSES = frozenset({OrderStatus.PICKED_UP, OrderStatus.OUT_FOR_DELIVERY})
"""Statuses in which the goods are in a vehicle."""


def event_source(offer: PartnerOfferRow) -> Source:
    """Return the source of a partner's events on the giver's timeline.

    It has no reference, which would name one event.
    """
    return Source(type=THIRD_PARTY, name=offer.partner_code)


async def release_to_giver(giver: Call, offer: PartnerOfferRow, order: OrderFacts, reason: str | None = None) -> None:
    """Return an order to its giver's waiting orders.

    If the goods were in the partner's vehicle, the order waits after a failed attempt.
    """
    await assign_orders_to_third_party(giver, [order.id], held=False, fulfilment=offer.fulfilment)
    step = OrderStep.UNPLAN if order.status is OrderStatus.PLANNED else None
    step = OrderStep.FAIL if order.status in DEPARTED_STATUSES else step
    if step:
        note = (reason or offer.partner_code)[:REASON_MAX]
        await apply_order_transition(giver, step, [order.id], note=note, source=event_source(offer))


class PartnerDelivery(Struct, frozen=True):
    """Outcome of a delivery, with the pieces left in both businesses' orders."""

    outcome: DeliveryOutcome | None = None
    giver_left: Sequence[PieceLeft] = ()
    own_left: Sequence[PieceLeft] = ()


class _Pieces(Struct, frozen=True):
    giver: Sequence[OrderPiece]
    own: Sequence[OrderPiece]

    @property
    def positions(self) -> dict[str, int]:
        """The position of each piece by either tracking number."""
        return {piece.tracking_number: n for pieces in (self.giver, self.own) for n, piece in enumerate(pieces)}


async def get_reported_delivery(
    call: Call, giver: Call, offer: PartnerOfferRow, request: ReportPartnerOrder
) -> PartnerDelivery:
    """Return the delivery that a partner reports. Raises `INVALID_REQUEST`."""
    reported = request.outcome
    if reported is None:
        return PartnerDelivery()
    if request.report is not PartnerReport.DELIVERED:
        raise INVALID_REQUEST.for_fields(FieldError("outcome", "field.outcome_of_delivery"))
    if reported.handed_to is HandedTo.NEIGHBOUR and not request.recipient:
        raise INVALID_REQUEST.for_fields(FieldError("recipient", "field.recipient_needed"))
    outcome = build_outcome(reported.handed_to, request.recipient, reported.left_at)
    if not reported.pieces:
        return PartnerDelivery(outcome)
    pieces = await _load_pieces(call, giver, offer)
    known = pieces.positions
    barcodes = [piece.barcode.upper() for piece in reported.pieces]
    named = [pieces.giver[known[code]].tracking_number if code in known else code for code in barcodes]
    if faults := tuple(find_piece_faults(named, {piece.tracking_number for piece in pieces.giver})):
        raise INVALID_REQUEST.for_fields(*(FieldError(f"outcome.{fault.field}", fault.code) for fault in faults))
    left = {known[code]: PieceOutcome(piece.outcome) for code, piece in zip(barcodes, reported.pieces, strict=True)}
    return PartnerDelivery(outcome, _left(pieces.giver, left), _left(pieces.own, left))


async def list_left_pieces_of_giver(
    call: Call, giver: Call, offer: PartnerOfferRow, outcome: DeliveryOutcome
) -> Sequence[PieceLeft]:
    """Return the giver's pieces that were left, by the partner's outcome."""
    if not outcome.pieces or not outcome.pieces.left:
        return ()
    pieces = await _load_pieces(call, giver, offer)
    known = pieces.positions
    left = {
        known[each.tracking_number]: PieceOutcome(each.outcome)
        for each in outcome.pieces.left
        if each.tracking_number in known
    }
    return _left(pieces.giver, left)


async def _load_pieces(call: Call, giver: Call, offer: PartnerOfferRow) -> _Pieces:
    """Return the pieces of both orders, whose positions match."""
    own = await list_order_pieces(call, [offer.partner_order_id]) if offer.partner_order_id else []
    theirs = await list_order_pieces(giver, [offer.order_id])
    return _Pieces(theirs, own if len(own) == len(theirs) else [])


def _left(pieces: Sequence[OrderPiece], left: Mapping[int, PieceOutcome]) -> list[PieceLeft]:
    return [
        PieceLeft(id=piece.id, tracking_number=piece.tracking_number, outcome=left[n])
        for n, piece in enumerate(pieces)
        if n in left
    ]


async def mirror_steps(call: Call, offer_id: int) -> None:
    """Mirror new steps of the partner's order on the giver's, each once and in order.

    Repeated calls change nothing: the offer stores the last mirrored step.
    """
    offer = await store.get_received_offer(call.work, offer_id, call.client_id)
    if offer is None:
        return
    giver = await as_offering_client(call, offer)
    await get_order_facts(giver, [offer.order_id], lock=True)
    offer = await store.get_received_offer(call.work, offer_id, call.client_id)  # read again under the lock
    if offer is None or offer.partner_order_id is None:
        return
    known = offer.reported_step_id or 0
    steps = [step for step in await list_order_steps(call, offer.partner_order_id) if step.id > known]
    events = await list_order_events(call, offer.partner_order_id) if steps else []
    for step in steps:
        offer = await store.get_received_offer(call.work, offer_id, call.client_id)
        if offer is None or not offer.held:
            return
        await _mirror_step(call, giver, offer, step, events)


async def _mirror_step(
    call: Call, giver: Call, offer: PartnerOfferRow, step: OrderStepTaken, events: Sequence[TrackingEvent]
) -> None:
    order = (await get_order_facts(giver, [offer.order_id]))[offer.order_id]
    values: dict[str, Any] = {"reported_step_id": step.id}
    if step.status is OrderStatus.CANCELLED:
        values |= {"status": PartnerOfferStatus.HANDED_BACK.value, "held": None}
        values |= {"ended_at": call.now, "reason": step.reason}
        await release_to_giver(giver, offer, order, step.reason)
    elif report := await _apply_steps(call, giver, offer, order.status, step, events):
        values |= {"last_report": report.value, "reported_at": step.at}
        if end := FINAL_REPORTS.get(report):
            values |= {"status": end.value, "held": None, "ended_at": call.now}
    await store.update_held_offer(call.work, offer.id, call.client_id, **values)


async def _apply_steps(
    call: Call,
    giver: Call,
    offer: PartnerOfferRow,
    status: OrderStatus,
    step: OrderStepTaken,
    events: Sequence[TrackingEvent],
) -> Any:
    """Return the report for the steps, or None if the giver's order is up to date."""
    names = steps_to_status(status.name, step.status.name)
    for name in names:
        told = _step_details(step, events) if name == names[-1] else {}
        left = await list_left_pieces_of_giver(call, giver, offer, told["outcome"]) if told.get("outcome") else ()
        note = (step.reason or offer.partner_code)[:REASON_MAX]
        await apply_order_transition(
            giver,
            OrderStep(name),
            [offer.order_id],
            at=step.at,
            note=note,
            source=event_source(offer),
            left=left,
            **told,
        )
        if left:
            await record_piece_outcomes(giver, offer.order_id, left)
    return REPORT_OF_STATUS.get(step.status.name) if names else None


def _step_details(step: OrderStepTaken, events: Sequence[TrackingEvent]) -> dict[str, Any]:
    """Return the reason, place and receiver of a step from the partner's timeline.

    Files of the proof stay with the partner. The giver sees the receiver.
    """
    codes = CODES_OF_STATUS.get(step.status.name, ())
    of_step = [each for each in events if each.occurred_at == step.at and each.status_code in codes]
    if not of_step:
        return {}
    # Of several parcels, only the order's own event names the pieces that were left.
    event = next((each for each in of_step if each.outcome and each.outcome.pieces), of_step[0])
    told: dict[str, Any] = {"reason": event.incident_reason, "location": event.location}
    if event.pod and event.pod.recipient is not UNSET:
        told["pod"] = ProofOfDelivery(recipient=event.pod.recipient)
    told["outcome"] = event.outcome
    return {name: value for name, value in told.items() if value is not UNSET}


END_COPY_JOB = "partners.end_copy"
REFRESH_COPY_JOB = "partners.refresh_copy"


class EndCopy(Struct, frozen=True, kw_only=True):
    """Partner's order to cancel, and the reason."""

    order_id: int
    reason: str | None


class RefreshCopy(Struct, frozen=True, kw_only=True):
    """Offer through which the partner has the changed order."""

    offer_id: int


async def make_own_order(call: Call, giver: Call, offer: PartnerOfferRow, reference: str | None) -> None:
    """Create the partner's own order of an accepted offer in the partner's tenant.

    Each order records the other. Raises `ORDER_REF_TAKEN` if another order of the partner has the reference.
    """
    original = await get_order_for_partner(giver, offer.order_id)
    assert original is not None  # locked by the caller
    theirs = (await get_order_facts(giver, [offer.order_id]))[offer.order_id].tracking_number
    order_id = await create_partner_copy(
        call,
        original,
        offer_id=offer.id,
        order_ref=reference,
        references={"partner": offer.giver_code, "partner_tracking_number": theirs},
        price=AgreedPrice(offer.quote_minor, offer.currency),
    )
    number = (await get_order_facts(call, [order_id]))[order_id].tracking_number
    await store.update_held_offer(
        call.work, offer.id, call.client_id, partner_order_id=order_id, reference=reference or number
    )


async def schedule_copy_end(call: Call, offer: PartnerOfferRow, reason: str | None) -> None:
    """Schedule the cancellation of the partner's own order in its own transaction."""
    if offer.partner_order_id is not None:
        taker = await as_taking_client(call, offer)
        await taker.enqueue(END_COPY_JOB, EndCopy(order_id=offer.partner_order_id, reason=reason))


async def schedule_copy_refresh(call: Call, offer: PartnerOfferRow) -> None:
    """Schedule an update of the partner's own order in its own transaction."""
    if offer.partner_order_id is not None:
        taker = await as_taking_client(call, offer)
        await taker.enqueue(REFRESH_COPY_JOB, RefreshCopy(offer_id=offer.id))
