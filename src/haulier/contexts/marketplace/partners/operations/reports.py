"""Partner reports, which change the giver's order and appear on its timeline."""

from datetime import datetime, timedelta
from typing import Any

from msgspec import UNSET

from haulier.contexts.marketplace.partners import store
from haulier.contexts.marketplace.partners.actions.give_back import event_source
from haulier.contexts.marketplace.partners.actions.outcomes import PartnerDelivery, get_reported_delivery
from haulier.contexts.marketplace.partners.contract import PartnerOrderAnswer, ReportPartnerOrder
from haulier.contexts.marketplace.partners.operations.partner_orders import (
    PARTNER_ORDER_PATH,
    get_offer_to_us,
    partner_order_answer,
)
from haulier.contexts.marketplace.partners.queries.cross_tenant import as_offering_client
from haulier.contexts.marketplace.partners.rules import (
    DEPARTURE_REPORTS,
    FINAL_REPORTS,
    PARTNER_ORDER_NOT_HELD,
    PARTNER_ORDER_ON_ROUTE,
    PARTNER_REPORT_OUT_OF_TURN,
    REPORT_TRANSITIONS,
    PartnerOfferStatus,
    steps_to_status,
)
from haulier.contexts.marketplace.partners.store import PartnerOfferRow
from haulier.contexts.orders.public import (
    OrderFacts,
    OrderStatus,
    OrderStep,
    apply_order_transition,
    get_order_facts,
    list_order_steps,
    record_piece_outcomes,
)
from haulier.contexts.routes.public import get_route_ids_by_order
from haulier.contexts.tracking.public import IncidentReason, Location, NewEvent, ProofOfDelivery, record_events
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.operations.fields import REASON_MAX

MAX_CLOCK_DIFFERENCE = timedelta(minutes=10)


@writes(
    "report_partner_order",
    allowed_where={"status": PartnerOfferStatus.ACCEPTED.value},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_ORDER_NOT_HELD, PARTNER_ORDER_ON_ROUTE, PARTNER_REPORT_OUT_OF_TURN),
    doors=(Rest("POST", f"{PARTNER_ORDER_PATH}/report"), GraphQL("reportPartnerOrder")),
)
async def report_partner_order(call: Call, request: ReportPartnerOrder) -> PartnerOrderAnswer:
    """Report the progress of a partner order.

    For orders that are not driven on a route here. Your own order follows. Repeating the last report changes
    nothing. `delivered`, `returned` and `rejected` end the order. After `failed` it is still yours to retry or
    return.
    """
    if request.at and request.at > call.now + MAX_CLOCK_DIFFERENCE:
        raise INVALID_REQUEST.for_fields(FieldError("at", "field.in_the_future"))
    offer = await get_offer_to_us(call, request.offer_id)
    giver = await as_offering_client(call, offer)
    order = (await get_order_facts(giver, [offer.order_id], lock=True))[offer.order_id]
    offer = await get_offer_to_us(
        call, request.offer_id
    )  # read again under the lock: another report may have changed it
    if offer.last_report == request.report:
        return await partner_order_answer(call, offer.id)
    if not offer.held:
        raise PARTNER_ORDER_NOT_HELD()
    await _require_off_route(call, offer)
    delivery = await get_reported_delivery(call, giver, offer, request)
    await _apply_report(giver, offer, order, request, delivery)
    told = await _move_own_order(call, offer, request, delivery)
    values: dict[str, Any] = {"last_report": request.report.value, "reported_at": request.at or call.now}
    values["reported_step_id"] = told
    if end := FINAL_REPORTS.get(request.report):
        values |= {"status": end.value, "held": None, "ended_at": call.now}
    await store.update_held_offer(call.work, offer.id, call.client_id, **values)
    return await partner_order_answer(call, offer.id)


async def _apply_report(
    giver: Call,
    offer: PartnerOfferRow,
    order: OrderFacts,
    request: ReportPartnerOrder,
    delivery: PartnerDelivery,
) -> None:
    occurred_at, source = request.at or giver.now, event_source(offer)
    reason, where = _incident_reason(request), _report_location(request)
    if request.report in REPORT_TRANSITIONS:
        step, after = REPORT_TRANSITIONS[request.report]
        if order.status.name != after:
            await _plan_again_after_failure(giver, offer, order, request, occurred_at)
            pod = ProofOfDelivery(recipient=request.recipient) if request.recipient else None
            values: dict[str, Any] = {"reason": reason, "pod": pod, "location": where, "source": source}
            values |= {"outcome": delivery.outcome, "left": delivery.giver_left}
            note = request.note or offer.partner_code
            if await apply_order_transition(
                giver, OrderStep(step), [order.id], at=occurred_at, note=note[:REASON_MAX], **values
            ):
                raise PARTNER_REPORT_OUT_OF_TURN(report=request.report.value, status=order.status.name)
            if delivery.giver_left:
                await record_piece_outcomes(giver, order.id, delivery.giver_left)
        return
    event = NewEvent(
        tracking_number=order.tracking_number,
        status_code=request.report.value,
        occurred_at=occurred_at,
        order_id=order.id,
        location=where,
        incident_reason=reason,
        source=source,
    )
    await record_events(giver, [event])


async def _require_off_route(call: Call, offer: PartnerOfferRow) -> None:
    """Raise `PARTNER_ORDER_ON_ROUTE` if the own order is on a route.

    The stops of the route report it instead.
    """
    if offer.partner_order_id and await get_route_ids_by_order(call, [offer.partner_order_id]):
        raise PARTNER_ORDER_ON_ROUTE()


async def _move_own_order(
    call: Call, offer: PartnerOfferRow, request: ReportPartnerOrder, delivery: PartnerDelivery
) -> int | None:
    """Move the partner's own order to the reported status. Return its last step."""
    if offer.partner_order_id is None:
        return offer.reported_step_id
    if request.report in REPORT_TRANSITIONS:
        own = (await get_order_facts(call, [offer.partner_order_id], lock=True))[offer.partner_order_id]
        for name in steps_to_status(own.status.name, REPORT_TRANSITIONS[request.report][1]):
            words: dict[str, Any] = {}
            if name == OrderStep.DELIVER:
                words = {"outcome": delivery.outcome, "left": delivery.own_left}
            await apply_order_transition(call, OrderStep(name), [own.id], at=request.at, note=request.note, **words)
        if delivery.own_left:
            await record_piece_outcomes(call, own.id, delivery.own_left)
    return (await list_order_steps(call, offer.partner_order_id))[-1].id


async def _plan_again_after_failure(
    giver: Call, offer: PartnerOfferRow, order: OrderFacts, request: ReportPartnerOrder, at: datetime
) -> None:
    """Plan the order again before a partner's next attempt after a failed one."""
    if order.status is OrderStatus.FAILED and request.report in DEPARTURE_REPORTS:
        source = event_source(offer)
        await apply_order_transition(giver, OrderStep.PLAN, [order.id], at=at, note=offer.partner_code, source=source)


def _incident_reason(request: ReportPartnerOrder) -> IncidentReason | None:
    if request.incident is None:
        return None
    return IncidentReason(code=request.incident, note=request.note or UNSET)


def _report_location(request: ReportPartnerOrder) -> Location | None:
    return None if request.lat is None or request.lng is None else Location(lat=request.lat, lng=request.lng)
