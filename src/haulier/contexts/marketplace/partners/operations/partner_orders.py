"""Operations on partners: partner orders."""

from datetime import datetime, timedelta
from typing import Any

from msgspec import UNSET

from haulier.contexts.marketplace.partners import store
from haulier.contexts.marketplace.partners.actions import (
    DEPARTED_STATUSES,
    PartnerDelivery,
    event_source,
    get_reported_delivery,
    make_own_order,
    release_to_giver,
)
from haulier.contexts.marketplace.partners.contract import (
    AcceptPartnerOrder,
    DeclinePartnerOrder,
    ListPartnerOrders,
    PartnerOrderAnswer,
    PartnerOrderList,
    PartnerOrderRef,
    PulledPartnerOrders,
    PullPartnerOrders,
    ReportPartnerOrder,
)
from haulier.contexts.marketplace.partners.queries import as_offering_client, get_offerable_orders
from haulier.contexts.marketplace.partners.rules import (
    DEPARTURE_REPORTS,
    FINAL_REPORTS,
    PARTNER_OFFER_CLOSED,
    PARTNER_ORDER_GONE,
    PARTNER_ORDER_NOT_HELD,
    PARTNER_ORDER_ON_ROUTE,
    PARTNER_QUOTE_TOO_HIGH,
    PARTNER_REPORT_OUT_OF_TURN,
    REPORT_TRANSITIONS,
    THIRD_PARTY,
    PartnerOfferStatus,
    check_partner_acceptance,
    current_offer_status,
    steps_to_status,
)
from haulier.contexts.marketplace.partners.serializers import serialize_partner_order, serialize_partner_order_detail
from haulier.contexts.marketplace.partners.store import PartnerOfferRow
from haulier.contexts.orders.public import (
    ORDER_REF_TAKEN,
    OrderFacts,
    OrderStatus,
    OrderStep,
    apply_order_transition,
    assign_orders_to_third_party,
    cancel_partner_copy,
    get_order_facts,
    list_order_steps,
    record_piece_outcomes,
)
from haulier.contexts.routes.public import get_route_ids_by_order
from haulier.contexts.tracking.public import IncidentReason, Location, NewEvent, ProofOfDelivery, record_events
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.operations.fields import REASON_MAX

PATH = "/v1/partner-orders"
PARTNER_ORDER_PATH = f"{PATH}/{{offer_id}}"


@reads(
    "list_partner_orders",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("partnerOrders")),
)
async def list_partner_orders(call: Call, request: ListPartnerOrders) -> PartnerOrderList:
    """List orders offered by other businesses.

    Results are ordered newest first. Addresses and names are shown for accepted orders.
    """
    named = store.partner_offers.c
    where: list[Any] = []
    if request.partnership_id is not None:
        where.append(named.partnership_id == request.partnership_id)
    if request.day is not None:
        where.append(named.day == request.day.isoformat())
    if request.postal_prefix is not None:
        where.append(store.postal_prefix_filter(request.postal_prefix))
    if request.status is not None:
        where.append(store.offer_status_filter(request.status, call.now))
    rows, total = await store.find_received_offers(call.work, call.client_id, where, request.per_page, request.offset)
    partner_orders = [serialize_partner_order(call, row) for row in rows]
    return PartnerOrderList(total=total, page=request.page, per_page=request.per_page, partner_orders=partner_orders)


@reads(
    "get_partner_order",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", PARTNER_ORDER_PATH), GraphQL("partnerOrder")),
)
async def get_partner_order(call: Call, request: PartnerOrderRef) -> PartnerOrderAnswer:
    """Get an order offered to your business.

    Addresses, names and the tracking number are shown while your business has the order.
    """
    return await serialize_partner_order_detail(call, await get_offer_to_us(call, request.offer_id))


@writes(
    "pull_partner_orders",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    interfaces=(Rest("POST", f"{PATH}/pull"), GraphQL("pullPartnerOrders")),
)
async def pull_partner_orders(call: Call, request: PullPartnerOrders) -> PulledPartnerOrders:
    """Pull the oldest open offers.

    Returns offers that no call has pulled before. Concurrent calls get different ones. A pulled offer is not yet
    accepted and expires at its deadline.
    """
    rows = await store.pull_received_offers(call.work, call.client_id, call.now, request.limit, request.partnership_id)
    call.add_audit_subjects("partner_offer", *(row.id for row in rows))
    return PulledPartnerOrders(partner_orders=[serialize_partner_order(call, row) for row in rows])


@writes(
    "accept_partner_order",
    available_when={"status": PartnerOfferStatus.OFFERED.value},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_OFFER_CLOSED, PARTNER_ORDER_GONE, PARTNER_QUOTE_TOO_HIGH, ORDER_REF_TAKEN),
    interfaces=(Rest("POST", f"{PARTNER_ORDER_PATH}/accept"), GraphQL("acceptPartnerOrder")),
)
async def accept_partner_order(call: Call, request: AcceptPartnerOrder) -> PartnerOrderAnswer:
    """Accept an offered order.

    The first of several partners gets it, and all other offers of the order end. Your business gets an order of its
    own, which is planned, labelled and driven like any other; its steps are reported to the giver. Its price is your
    quote. Repeated calls change nothing.
    """
    offer = await get_offer_to_us(call, request.offer_id)
    giver, order_id = await as_offering_client(call, offer), offer.order_id
    order = (await get_offerable_orders(giver, [order_id])).get(order_id)
    offer = await get_offer_to_us(
        call, request.offer_id
    )  # read again under the lock: another partner may have accepted it first
    if offer.held:
        return await serialize_partner_order_detail(call, offer)
    status = current_offer_status(PartnerOfferStatus(offer.status), offer.respond_by, call.now)
    if why := check_partner_acceptance(status, order, request.quote_minor, offer.fee_most_minor):
        raise why
    values = {"reference": request.reference, "quote_minor": request.quote_minor}
    if not await store.answer_received_offer(
        call.work, offer.id, call.client_id, PartnerOfferStatus.ACCEPTED, held=True, answered_at=call.now, **values
    ):
        raise PARTNER_OFFER_CLOSED(status=PartnerOfferStatus.WITHDRAWN.value)
    await store.close_partner_offers(
        giver.work, [store.partner_offers.c.order_id == order_id], PartnerOfferStatus.LOST, ended_at=call.now
    )
    await assign_orders_to_third_party(giver, [order_id], held=True, fulfilment=THIRD_PARTY)
    await apply_order_transition(giver, OrderStep.PLAN, [order_id], note=offer.partner_code, source=event_source(offer))
    await make_own_order(call, giver, await get_offer_to_us(call, offer.id), request.reference)
    return await partner_order_answer(call, offer.id)


@writes(
    "decline_partner_order",
    available_when={"status": PartnerOfferStatus.OFFERED.value},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_OFFER_CLOSED),
    interfaces=(Rest("POST", f"{PARTNER_ORDER_PATH}/decline"), GraphQL("declinePartnerOrder")),
)
async def decline_partner_order(call: Call, request: DeclinePartnerOrder) -> PartnerOrderAnswer:
    """Decline an offered order.

    The reason is required. The order is no longer offered to your business.
    """
    offer = await get_offer_to_us(call, request.offer_id)
    status = current_offer_status(PartnerOfferStatus(offer.status), offer.respond_by, call.now)
    values = {"answered_at": call.now, "ended_at": call.now, "reason": request.reason}
    if status is not PartnerOfferStatus.OFFERED or not await store.answer_received_offer(
        call.work, offer.id, call.client_id, PartnerOfferStatus.DECLINED, **values
    ):
        raise PARTNER_OFFER_CLOSED(status=status.value)
    return await partner_order_answer(call, offer.id)


@writes(
    "return_partner_order",
    available_when={"status": PartnerOfferStatus.ACCEPTED.value},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_ORDER_NOT_HELD),
    interfaces=(Rest("POST", f"{PARTNER_ORDER_PATH}/return"), GraphQL("returnPartnerOrder")),
)
async def return_partner_order(call: Call, request: DeclinePartnerOrder) -> PartnerOrderAnswer:
    """Return an accepted order to its giver.

    The order waits at the giver again, and your own order is cancelled. If the goods are in your vehicle, report
    `returned` instead.
    """
    offer = await get_offer_to_us(call, request.offer_id)
    giver = await as_offering_client(call, offer)
    order = (await get_order_facts(giver, [offer.order_id], lock=True))[offer.order_id]
    ended = {"ended_at": call.now, "reason": request.reason, "status": PartnerOfferStatus.HANDED_BACK.value}
    if order.status in DEPARTED_STATUSES or not await store.update_held_offer(
        call.work, offer.id, call.client_id, held=None, **ended
    ):
        raise PARTNER_ORDER_NOT_HELD()
    await release_to_giver(giver, offer, order)
    if offer.partner_order_id is not None:
        await cancel_partner_copy(call, offer.partner_order_id, request.reason)
    return await partner_order_answer(call, offer.id)


async def get_offer_to_us(call: Call, offer_id: int) -> PartnerOfferRow:
    """Return an offer made to the caller's business. Raises `NOT_FOUND` otherwise."""
    offer = await store.get_received_offer(call.work, offer_id, call.client_id)
    if offer is None:
        raise NOT_FOUND()
    return offer


async def partner_order_answer(call: Call, offer_id: int) -> PartnerOrderAnswer:
    """Return an offer made to the caller's business in its current state."""
    call.add_audit_subjects("partner_offer", offer_id)
    return await serialize_partner_order_detail(call, await get_offer_to_us(call, offer_id))


MAX_CLOCK_DIFFERENCE = timedelta(minutes=10)


@writes(
    "report_partner_order",
    available_when={"status": PartnerOfferStatus.ACCEPTED.value},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_ORDER_NOT_HELD, PARTNER_ORDER_ON_ROUTE, PARTNER_REPORT_OUT_OF_TURN),
    interfaces=(Rest("POST", f"{PARTNER_ORDER_PATH}/report"), GraphQL("reportPartnerOrder")),
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
