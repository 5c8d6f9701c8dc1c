"""Steps of the partner's own order, mirrored on the giver's order.

They have the same times and name the partner as the source.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from haulier.contexts.marketplace.partners import store
from haulier.contexts.marketplace.partners.actions.give_back import event_source, release_to_giver
from haulier.contexts.marketplace.partners.actions.outcomes import get_givers_left_pieces
from haulier.contexts.marketplace.partners.queries.cross_tenant import as_offering_client
from haulier.contexts.marketplace.partners.rules import (
    CODES_OF_STATUS,
    FINAL_REPORTS,
    REPORT_OF_STATUS,
    PartnerOfferStatus,
    steps_to_status,
)
from haulier.contexts.marketplace.partners.store import PartnerOfferRow
from haulier.contexts.orders.public import (
    OrderStatus,
    OrderStep,
    OrderStepTaken,
    apply_order_transition,
    get_order_facts,
    list_order_steps,
    record_piece_outcomes,
)
from haulier.contexts.tracking.public import ProofOfDelivery, TrackingEvent, list_order_events
from haulier.kernel.call import Call
from haulier.kernel.operations.fields import REASON_MAX


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
    elif report := await _take_steps(call, giver, offer, order.status, step, events):
        values |= {"last_report": report.value, "reported_at": step.at}
        if end := FINAL_REPORTS.get(report):
            values |= {"status": end.value, "held": None, "ended_at": call.now}
    await store.update_held_offer(call.work, offer.id, call.client_id, **values)


async def _take_steps(
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
        told = _what_was_told(step, events) if name == names[-1] else {}
        left = await get_givers_left_pieces(call, giver, offer, told["outcome"]) if told.get("outcome") else ()
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


def _what_was_told(step: OrderStepTaken, events: Sequence[TrackingEvent]) -> dict[str, Any]:
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
