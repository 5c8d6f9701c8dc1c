"""The partner's side: what others offer is listed, pulled, taken or declined, and handed back."""

from typing import Any

from haulier.contexts.dispatch.partners import store
from haulier.contexts.dispatch.partners.contract import (
    AcceptPartnerOrder,
    DeclinePartnerOrder,
    ListPartnerOrders,
    PartnerOrderAnswer,
    PartnerOrders,
    PartnerOrdersPulled,
    PullPartnerOrders,
    ThePartnerOrder,
)
from haulier.contexts.dispatch.partners.crossing import at_the_giver, offered
from haulier.contexts.dispatch.partners.operations.partnerships import TAG
from haulier.contexts.dispatch.partners.rules import (
    PARTNER_OFFER_CLOSED,
    PARTNER_ORDER_GONE,
    PARTNER_ORDER_NOT_HELD,
    PARTNER_QUOTE_TOO_HIGH,
    THIRD_PARTY,
    PartnerOfferStatus,
    status_now,
    why_not_accept,
)
from haulier.contexts.dispatch.partners.showing import shown_to_us, whole
from haulier.contexts.orders.public import OrderStatus, Step, facts, give_to_third_party, take
from haulier.contexts.tracking.public import Source
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, reads, writes

PATH = "/v1/partner-orders"
ONE = f"{PATH}/{{offer_id}}"
LEFT = frozenset({OrderStatus.PICKED_UP, OrderStatus.OUT_FOR_DELIVERY})


@reads(
    "list_partner_orders",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("partnerOrders")),
)
async def list_partner_orders(call: Call, request: ListPartnerOrders) -> PartnerOrders:
    """List the orders that other businesses offered us, newest first. Doors and names come with one that we have."""
    named = store.offers.c
    where: list[Any] = []
    if request.partnership_id is not None:
        where.append(named.partnership_id == request.partnership_id)
    if request.day is not None:
        where.append(named.day == request.day.isoformat())
    if request.postal_prefix is not None:
        where.append(named.postal_code.startswith(request.postal_prefix, autoescape=True))
    if request.status is not None:
        where.append(store.standing(request.status, call.now))
    rows, total = await store.page_to_us(call.work, call.client_id, where, request.per_page, request.offset)
    shown = [shown_to_us(call, row) for row in rows]
    return PartnerOrders(total=total, page=request.page, per_page=request.per_page, partner_orders=shown)


@reads(
    "get_partner_order",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", ONE, tag=TAG), GraphQL("partnerOrder")),
)
async def get_partner_order(call: Call, request: ThePartnerOrder) -> PartnerOrderAnswer:
    """Show an order that was offered to us; with its doors, names and tracking number while we have it."""
    return await whole(call, await offer_to_us(call, request.offer_id))


@writes(
    "pull_partner_orders",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    doors=(Rest("POST", f"{PATH}/pull", tag=TAG), GraphQL("pullPartnerOrders")),
)
async def pull_partner_orders(call: Call, request: PullPartnerOrders) -> PartnerOrdersPulled:
    """Fetch the oldest open offers that no call fetched before. Calls at the same time get different ones.

    A pulled offer is not yet taken: it runs out at its deadline unless it is accepted.
    """
    rows = await store.pull(call.work, call.client_id, call.now, request.limit, request.partnership_id)
    call.concerns("partner_offer", *(row.id for row in rows))
    return PartnerOrdersPulled(partner_orders=[shown_to_us(call, row) for row in rows])


@writes(
    "accept_partner_order",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_OFFER_CLOSED, PARTNER_ORDER_GONE, PARTNER_QUOTE_TOO_HIGH),
    doors=(Rest("POST", f"{ONE}/accept", tag=TAG), GraphQL("acceptPartnerOrder")),
)
async def accept_partner_order(call: Call, request: AcceptPartnerOrder) -> PartnerOrderAnswer:
    """Take an order: it is ours to deliver, and every other offer of it is lost. Of several partners the first has it.

    Accepted again, it stays ours and nothing changes.
    """
    offer = await offer_to_us(call, request.offer_id)
    giver, order_id = await at_the_giver(call, offer), offer.order_id
    order = (await offered(giver, [order_id])).get(order_id)
    offer = await offer_to_us(call, request.offer_id)  # again: whoever was first had the order locked
    if offer.held:
        return await whole(call, offer)
    status = status_now(PartnerOfferStatus(offer.status), offer.respond_by, call.now)
    if why := why_not_accept(status, order, request.quote_minor, offer.fee_most_minor):
        raise why
    said = {"reference": request.reference, "quote_minor": request.quote_minor}
    if not await store.answer(
        call.work, offer.id, call.client_id, PartnerOfferStatus.ACCEPTED, held=True, answered_at=call.now, **said
    ):
        raise PARTNER_OFFER_CLOSED(status=PartnerOfferStatus.WITHDRAWN.value)
    await store.close(giver.work, [store.offers.c.order_id == order_id], PartnerOfferStatus.LOST, ended_at=call.now)
    await give_to_third_party(giver, [order_id], held=True, fulfilment=THIRD_PARTY)
    await take(giver, Step.PLAN, [order_id], note=offer.partner_code, source=source(offer))
    return await answer(call, offer.id)


@writes(
    "decline_partner_order",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_OFFER_CLOSED),
    doors=(Rest("POST", f"{ONE}/decline", tag=TAG), GraphQL("declinePartnerOrder")),
)
async def decline_partner_order(call: Call, request: DeclinePartnerOrder) -> PartnerOrderAnswer:
    """Say that we do not take an order, and why. It is no longer offered to us."""
    offer = await offer_to_us(call, request.offer_id)
    status = status_now(PartnerOfferStatus(offer.status), offer.respond_by, call.now)
    said = {"answered_at": call.now, "ended_at": call.now, "reason": request.reason}
    if status is not PartnerOfferStatus.OFFERED or not await store.answer(
        call.work, offer.id, call.client_id, PartnerOfferStatus.DECLINED, **said
    ):
        raise PARTNER_OFFER_CLOSED(status=status.value)
    return await answer(call, offer.id)


@writes(
    "return_partner_order",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_ORDER_NOT_HELD),
    doors=(Rest("POST", f"{ONE}/return", tag=TAG), GraphQL("returnPartnerOrder")),
)
async def return_partner_order(call: Call, request: DeclinePartnerOrder) -> PartnerOrderAnswer:
    """Hand an order back that we took: it waits at the giver again. Goods in our vehicle are reported `returned` instead."""
    offer = await offer_to_us(call, request.offer_id)
    giver = await at_the_giver(call, offer)
    order = (await facts(giver, [offer.order_id], lock=True))[offer.order_id]
    ended = {"ended_at": call.now, "reason": request.reason, "status": PartnerOfferStatus.HANDED_BACK.value}
    if order.status in LEFT or not await store.change_held(call.work, offer.id, call.client_id, held=None, **ended):
        raise PARTNER_ORDER_NOT_HELD()
    await give_to_third_party(giver, [order.id], held=False, fulfilment=offer.fulfilment)
    if order.status is OrderStatus.PLANNED:
        said = source(offer)
        await take(giver, Step.UNPLAN, [order.id], note=offer.partner_code, source=said)
    return await answer(call, offer.id)


def source(offer: Any) -> Source:
    """Whose word an event on the giver's timeline is. Without their reference: there it would name one single event."""
    return Source(type=THIRD_PARTY, name=offer.partner_code)


async def offer_to_us(call: Call, offer_id: int) -> Any:
    """An offer that was made to us. Raises `NOT_FOUND` to everybody else."""
    offer = await store.to_us(call.work, offer_id, call.client_id)
    if offer is None:
        raise NOT_FOUND()
    return offer


async def answer(call: Call, offer_id: int) -> PartnerOrderAnswer:
    """An offer that was made to us, as it is after the call."""
    call.concerns("partner_offer", offer_id)
    return await whole(call, await offer_to_us(call, offer_id))
