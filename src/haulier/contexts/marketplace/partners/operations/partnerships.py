"""Operations on partners: partnerships."""

from datetime import timedelta
from typing import Any

import msgspec

from haulier.contexts.identity.public import find_other_business
from haulier.contexts.marketplace.partners import store
from haulier.contexts.marketplace.partners.actions import DEPARTED_STATUSES, release_to_giver, schedule_copy_end
from haulier.contexts.marketplace.partners.contract import (
    EndPartnership,
    ListPartnerOffers,
    ListPartnerships,
    OfferOrdersToPartner,
    OfferRef,
    PartnerGoods,
    PartnerOffer,
    PartnerOfferAnswer,
    PartnerOfferResult,
    PartnerOffers,
    PartnerOfferWithdrawal,
    PartnershipAnswer,
    PartnershipList,
    PartnershipRef,
    ProposePartnership,
    SharePartnerRates,
    WithdrawPartnerOffers,
)
from haulier.contexts.marketplace.partners.queries import get_offerable_orders
from haulier.contexts.marketplace.partners.rules import (
    PARTNER_ORDER_NOT_HELD,
    PARTNERSHIP_EXISTS,
    PARTNERSHIP_NOT_ANSWERABLE,
    PARTNERSHIP_NOT_IN_FORCE,
    PartnerOfferStatus,
    PartnershipState,
    check_partner_offer,
)
from haulier.contexts.marketplace.partners.serializers import (
    partnership_state,
    serialize_partner_offer,
    serialize_partnership,
)
from haulier.contexts.marketplace.partners.store import PartnerOfferRow, PartnershipRow
from haulier.contexts.orders.public import OrderFacts, StopContacts, get_order_facts, get_stop_contacts
from haulier.contexts.routes.assignments.rules import ORDER_UNKNOWN
from haulier.contexts.routes.public import serialize_order_errors
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, OperationError, record_not_found
from haulier.kernel.operations.records import record

OFFERS_PATH = "/v1/partner-offers"


@writes(
    "offer_orders_to_partner",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNERSHIP_NOT_IN_FORCE),
    interfaces=(Rest("POST", OFFERS_PATH), GraphQL("offerOrdersToPartner")),
)
async def offer_orders_to_partner(call: Call, request: OfferOrdersToPartner) -> PartnerOfferResult:
    """Offer orders to a partner.

    The partner may accept each order until a deadline. An order may be offered to several partners; the first to
    accept gets it. Orders that cannot be offered are named in the answer; the others are offered. An order stays
    yours to plan until it is accepted.
    """
    partnership = await store.get_partnership(call.work, request.partnership_id, call.client_id, lock=True)
    if partnership is None or partnership.client_id != call.client_id:
        raise record_not_found(partnership_id=request.partnership_id)
    if partnership_state(partnership) is not PartnershipState.IN_FORCE:
        raise PARTNERSHIP_NOT_IN_FORCE()
    terms = _offer_terms(call, request, partnership)
    orders = await get_offerable_orders(call, request.order_ids)
    await store.expire_partner_offers(call.work, request.order_ids, call.now)
    theirs = {
        row.order_id
        for row in await store.list_open_partner_offers(call.work, request.order_ids)
        if _is_same_partner(row, partnership)
    }
    taker = await call.app.identity.business(call.work, partnership.partner_id)
    errors: dict[int, OperationError] = {}
    for order_id in dict.fromkeys(request.order_ids):
        order = orders.get(order_id)
        error: OperationError | None = ORDER_UNKNOWN(order_id=order_id)
        if order:
            same_currency = taker.currency == call.business.currency
            error = check_partner_offer(order, offered=order_id in theirs, same_currency=same_currency)
        if error:
            errors[order_id] = error
    offers = await _insert_offers(call, [id for id in orders if id not in errors], terms)
    return PartnerOfferResult(result=bool(offers), offers=offers, errors=serialize_order_errors(call, errors))


@writes(
    "withdraw_partner_offers",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("POST", f"{OFFERS_PATH}/withdraw"), GraphQL("withdrawPartnerOffers")),
)
async def withdraw_partner_offers(call: Call, request: WithdrawPartnerOffers) -> PartnerOfferWithdrawal:
    """Withdraw open offers to partners.

    An order that a partner has accepted stays with the partner until they return it.
    """
    rows = await store.get_partner_offers(call.work, request.offer_ids)
    if len(rows) < len(set(request.offer_ids)):
        raise NOT_FOUND()
    await get_order_facts(call, [row.order_id for row in rows], lock=True)
    open_ids = [
        row.id
        for row in await store.get_partner_offers(call.work, request.offer_ids)
        if row.status == PartnerOfferStatus.OFFERED
    ]
    await store.withdraw_open_offers(call.work, open_ids, call.now, request.reason)
    call.add_audit_subjects("partner_offer", *open_ids)
    return PartnerOfferWithdrawal(withdrawn=open_ids)


@writes(
    "recall_partner_order",
    available_when={"status": PartnerOfferStatus.ACCEPTED.value},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_ORDER_NOT_HELD),
    interfaces=(Rest("POST", f"{OFFERS_PATH}/{{offer_id}}/recall"), GraphQL("recallPartnerOrder")),
)
async def recall_partner_order(call: Call, request: OfferRef) -> PartnerOfferAnswer:
    """Recall an order from a partner.

    Possible while the goods are not in the partner's vehicle. The order waits in your business again. The partner's
    own order is cancelled and their driver is notified.
    """
    rows = await store.get_partner_offers(call.work, [request.offer_id])
    if not rows:
        raise record_not_found(offer_id=request.offer_id)
    order = (await get_order_facts(call, [rows[0].order_id], lock=True))[rows[0].order_id]
    (offer,) = await store.get_partner_offers(call.work, [request.offer_id])  # read again under the lock
    if not offer.held or order.status in DEPARTED_STATUSES:
        raise PARTNER_ORDER_NOT_HELD()
    await store.end_held_offer(call.work, offer.id, PartnerOfferStatus.WITHDRAWN, call.now, request.reason)
    await release_to_giver(call, offer, order)
    await schedule_copy_end(call, offer, request.reason)
    call.add_audit_subjects("partner_offer", offer.id)
    (offer,) = await store.get_partner_offers(call.work, [request.offer_id])
    return PartnerOfferAnswer(offer=serialize_partner_offer(call, offer))


@reads(
    "list_partner_offers",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", OFFERS_PATH), GraphQL("partnerOffers")),
)
async def list_partner_offers(call: Call, request: ListPartnerOffers) -> PartnerOffers:
    """List offers made to partners.

    Results are ordered newest first.
    """
    named = store.partner_offers.c
    filters = {named.partnership_id: request.partnership_id, named.order_id: request.order_id}
    where = [column == value for column, value in filters.items() if value is not None]
    if request.status is not None:
        where.append(store.offer_status_filter(request.status, call.now))
    rows, total = await store.find_made_offers(call.work, where, request.per_page, request.offset)
    offers = [serialize_partner_offer(call, row) for row in rows]
    return PartnerOffers(total=total, page=request.page, per_page=request.per_page, offers=offers)


def _is_same_partner(row: PartnerOfferRow, partnership: PartnershipRow) -> bool:
    return row.partner_id == partnership.partner_id


def _offer_terms(call: Call, request: OfferOrdersToPartner, partnership: PartnershipRow) -> dict[str, Any]:
    respond_by = request.respond_by or call.now + timedelta(minutes=partnership.respond_within_min)
    if respond_by <= call.now:
        raise INVALID_REQUEST.for_fields(FieldError("respond_by", "field.not_in_the_past"))
    return {
        "partnership_id": partnership.id,
        "giver_code": partnership.giver_code,
        "partner_id": partnership.partner_id,
        "partner_code": partnership.partner_code,
        "note": request.note,
        "fee_most_minor": request.fee_most_minor,
        "currency": call.business.currency,
        "offered_at": call.now,
        "respond_by": respond_by,
        "status": PartnerOfferStatus.OFFERED.value,
    }


async def _insert_offers(call: Call, order_ids: list[int], terms: dict[str, Any]) -> list[PartnerOffer]:
    orders = await get_order_facts(call, order_ids)
    contacts = await get_stop_contacts(call, order_ids)
    rows = [
        {
            **terms,
            "order_id": order.id,
            "day": order.scheduled_date and order.scheduled_date.isoformat(),
            "postal_code": order.postal_code,
            "fulfilment": order.fulfilment,
            "goods": msgspec.to_builtins(_partner_goods(order, contacts[order.id])),
        }
        for order in orders.values()
    ]
    ids = await store.insert_partner_offers(call.work, rows)
    call.add_audit_subjects("order", *orders)
    return [serialize_partner_offer(call, row) for row in await store.get_partner_offers(call.work, ids)]


def _partner_goods(order: OrderFacts, contacts: StopContacts) -> PartnerGoods:
    return record(
        PartnerGoods,
        contacts.terms,
        type=order.type,
        day=order.scheduled_date,
        city=order.city,
        postal_code=order.postal_code,
        weight_g=order.weight_g,
        packages=contacts.package_count,
    )


PARTNERSHIPS_PATH = "/v1/partnerships"
CLIENT_ADMINS = {Account.CLIENT_ADMIN}


@writes(
    "propose_partnership",
    audience=CLIENT_ADMINS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    limits=(RateLimit(20, 3600, by=("user",)),),
    errors=(NOT_FOUND, PARTNERSHIP_EXISTS),
    interfaces=(Rest("POST", PARTNERSHIPS_PATH), GraphQL("proposePartnership")),
)
async def propose_partnership(call: Call, request: ProposePartnership) -> PartnershipAnswer:
    """Propose a partnership to another business.

    Your business gives orders to the other one or takes orders from it. The partnership becomes active on
    acceptance.
    """
    partner_id = await find_other_business(call, request.business)
    if partner_id is None or partner_id == call.client_id:
        raise record_not_found(business=request.business)
    giving, us = request.role == "give", call.business.code
    giver, taker = (call.client_id, partner_id) if giving else (partner_id, call.client_id)
    try:
        async with call.savepoint():
            partnership_id = await store.insert_partnership(
                call.work,
                giver,
                giver_code=us if giving else request.business,
                partner_id=taker,
                partner_code=request.business if giving else us,
                proposed_by_giver=giving,
                respond_within_min=request.respond_within_min,
                note=request.note,
                proposed_at=call.now,
            )
    except UniqueConflict as conflict:
        raise PARTNERSHIP_EXISTS(business=request.business) from conflict
    return await _partnership_answer(call, partnership_id)


@writes(
    "accept_partnership",
    available_when={"state": PartnershipState.PROPOSED.value, "proposed_by_us": False},
    audience=CLIENT_ADMINS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNERSHIP_NOT_ANSWERABLE),
    interfaces=(Rest("POST", f"{PARTNERSHIPS_PATH}/{{partnership_id}}/accept"), GraphQL("acceptPartnership")),
)
async def accept_partnership(call: Call, request: PartnershipRef) -> PartnershipAnswer:
    """Accept a proposed partnership.

    Repeated calls change nothing.
    """
    row = await store.get_partnership(call.work, request.partnership_id, call.client_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    partnership = serialize_partnership(call, row)
    if partnership.state is PartnershipState.ENDED or partnership.proposed_by_us:
        raise PARTNERSHIP_NOT_ANSWERABLE()
    if partnership.state is PartnershipState.PROPOSED:
        await store.update_partnership(call.work, row.id, call.client_id, accepted_at=call.now)
    return await _partnership_answer(call, row.id)


@writes(
    "end_partnership",
    available_when={"state": frozenset(PartnershipState) - {PartnershipState.ENDED}},
    audience=CLIENT_ADMINS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNERSHIP_NOT_IN_FORCE),
    interfaces=(Rest("POST", f"{PARTNERSHIPS_PATH}/{{partnership_id}}/end"), GraphQL("endPartnership")),
)
async def end_partnership(call: Call, request: EndPartnership) -> PartnershipAnswer:
    """End a partnership or decline a proposal.

    Your own proposals can be withdrawn in the same way. Open offers are withdrawn; accepted orders continue.
    """
    row = await store.get_partnership(call.work, request.partnership_id, call.client_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    if partnership_state(row) is PartnershipState.ENDED:
        raise PARTNERSHIP_NOT_IN_FORCE()
    ended = {"ended_at": call.now, "ended_by_giver": row.client_id == call.client_id, "reason": request.reason}
    await store.update_partnership(call.work, row.id, call.client_id, live=None, **ended)
    of_it = [store.partner_offers.c.partnership_id == row.id]
    both = call.work.without_tenant_filter(store.BOTH_NAMED)
    await store.close_partner_offers(
        both, of_it, PartnerOfferStatus.WITHDRAWN, ended_at=call.now, reason=request.reason
    )
    return await _partnership_answer(call, row.id)


@writes(
    "share_partner_rates",
    available_when={"role": "take", "state": frozenset(PartnershipState) - {PartnershipState.ENDED}},
    audience=CLIENT_ADMINS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNERSHIP_NOT_IN_FORCE),
    interfaces=(Rest("PUT", f"{PARTNERSHIPS_PATH}/{{partnership_id}}/rates"), GraphQL("sharePartnerRates")),
)
async def share_partner_rates(call: Call, request: SharePartnerRates) -> PartnershipAnswer:
    """Share your rates with a partner.

    A business that gives you orders compares them with its own delivery and carriers (`rate_order`). They are not
    binding: you name your price when you accept an order.
    """
    row = await store.get_partnership(call.work, request.partnership_id, call.client_id, lock=True)
    if row is None or row.partner_id != call.client_id:
        raise record_not_found(partnership_id=request.partnership_id)
    if partnership_state(row) is PartnershipState.ENDED:
        raise PARTNERSHIP_NOT_IN_FORCE()
    await store.update_partnership(call.work, row.id, call.client_id, shares_rates=request.shares_rates)
    return await _partnership_answer(call, row.id)


@reads(
    "list_partnerships",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PARTNERSHIPS_PATH), GraphQL("partnerships")),
)
async def list_partnerships(call: Call, request: ListPartnerships) -> PartnershipList:
    """List partnerships and proposals.

    Results are ordered newest first.
    """
    rows, total = await store.find_partnerships(
        call.work, call.client_id, request.state, request.role, request.per_page, request.offset
    )
    partnerships = [serialize_partnership(call, row) for row in rows]
    return PartnershipList(total=total, page=request.page, per_page=request.per_page, partnerships=partnerships)


async def _partnership_answer(call: Call, partnership_id: int) -> PartnershipAnswer:
    call.add_audit_subjects("partnership", partnership_id)
    row = await store.get_partnership(call.work, partnership_id, call.client_id)
    assert row is not None
    return PartnershipAnswer(partnership=serialize_partnership(call, row))
