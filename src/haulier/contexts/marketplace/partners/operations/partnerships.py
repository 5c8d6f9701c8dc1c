"""Operations to propose, accept, end and list partnerships."""

from haulier.contexts.identity.public import get_client_id_by_code
from haulier.contexts.marketplace.partners import store
from haulier.contexts.marketplace.partners.contract import (
    EndPartnership,
    ListPartnerships,
    PartnershipAnswer,
    PartnershipList,
    PartnershipRef,
    ProposePartnership,
)
from haulier.contexts.marketplace.partners.rules import (
    PARTNERSHIP_EXISTS,
    PARTNERSHIP_NOT_ANSWERABLE,
    PARTNERSHIP_NOT_IN_FORCE,
    PartnerOfferStatus,
    PartnershipState,
)
from haulier.contexts.marketplace.partners.serializers import partnership_state, serialize_partnership
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

PATH = "/v1/partnerships"
CLIENT_ADMINS = {Account.CLIENT_ADMIN}


@writes(
    "propose_partnership",
    audience=CLIENT_ADMINS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    limits=(RateLimit(20, 3600, by=("user",)),),
    errors=(NOT_FOUND, PARTNERSHIP_EXISTS),
    doors=(Rest("POST", PATH), GraphQL("proposePartnership")),
)
async def propose_partnership(call: Call, request: ProposePartnership) -> PartnershipAnswer:
    """Propose a partnership to another business.

    Your business gives orders to the other one or takes orders from it. The partnership becomes active on
    acceptance.
    """
    partner_id = await get_client_id_by_code(call.work, request.business)
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
    allowed_where={"state": PartnershipState.PROPOSED.value, "proposed_by_us": False},
    audience=CLIENT_ADMINS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNERSHIP_NOT_ANSWERABLE),
    doors=(Rest("POST", f"{PATH}/{{partnership_id}}/accept"), GraphQL("acceptPartnership")),
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
    allowed_where={"state": frozenset(PartnershipState) - {PartnershipState.ENDED}},
    audience=CLIENT_ADMINS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNERSHIP_NOT_IN_FORCE),
    doors=(Rest("POST", f"{PATH}/{{partnership_id}}/end"), GraphQL("endPartnership")),
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


@reads(
    "list_partnerships",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("partnerships")),
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
