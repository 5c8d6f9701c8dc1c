"""Partner's operations: list, pull, accept, decline and return offered orders."""

from typing import Any

from haulier.contexts.marketplace.partners import store
from haulier.contexts.marketplace.partners.actions.give_back import DEPARTED_STATUSES, event_source, release_to_giver
from haulier.contexts.marketplace.partners.actions.own_orders import make_own_order
from haulier.contexts.marketplace.partners.contract import (
    AcceptPartnerOrder,
    DeclinePartnerOrder,
    ListPartnerOrders,
    PartnerOrderAnswer,
    PartnerOrderList,
    PartnerOrderRef,
    PulledPartnerOrders,
    PullPartnerOrders,
)
from haulier.contexts.marketplace.partners.queries.cross_tenant import as_offering_client, get_offerable_orders
from haulier.contexts.marketplace.partners.rules import (
    PARTNER_OFFER_CLOSED,
    PARTNER_ORDER_GONE,
    PARTNER_ORDER_NOT_HELD,
    PARTNER_QUOTE_TOO_HIGH,
    THIRD_PARTY,
    PartnerOfferStatus,
    check_partner_acceptance,
    current_offer_status,
)
from haulier.contexts.marketplace.partners.serializers import serialize_partner_order, serialize_partner_order_detail
from haulier.contexts.marketplace.partners.store import PartnerOfferRow
from haulier.contexts.orders.public import (
    ORDER_REF_TAKEN,
    OrderStep,
    apply_order_transition,
    assign_orders_to_third_party,
    cancel_partner_copy,
    get_order_facts,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/partner-orders"
PARTNER_ORDER_PATH = f"{PATH}/{{offer_id}}"


@reads(
    "list_partner_orders",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("partnerOrders")),
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
    doors=(Rest("GET", PARTNER_ORDER_PATH), GraphQL("partnerOrder")),
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
    doors=(Rest("POST", f"{PATH}/pull"), GraphQL("pullPartnerOrders")),
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
    allowed_where={"status": PartnerOfferStatus.OFFERED.value},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_OFFER_CLOSED, PARTNER_ORDER_GONE, PARTNER_QUOTE_TOO_HIGH, ORDER_REF_TAKEN),
    doors=(Rest("POST", f"{PARTNER_ORDER_PATH}/accept"), GraphQL("acceptPartnerOrder")),
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
    allowed_where={"status": PartnerOfferStatus.OFFERED.value},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_OFFER_CLOSED),
    doors=(Rest("POST", f"{PARTNER_ORDER_PATH}/decline"), GraphQL("declinePartnerOrder")),
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
    allowed_where={"status": PartnerOfferStatus.ACCEPTED.value},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_ORDER_NOT_HELD),
    doors=(Rest("POST", f"{PARTNER_ORDER_PATH}/return"), GraphQL("returnPartnerOrder")),
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
