"""Two businesses agree that one may offer orders to the other: propose, accept, end, list."""

from haulier.contexts.access.public import client_by_code
from haulier.contexts.dispatch.partners import store
from haulier.contexts.dispatch.partners.contract import (
    EndPartnership,
    ListPartnerships,
    PartnershipAnswer,
    Partnerships,
    ProposePartnership,
    ThePartnership,
)
from haulier.contexts.dispatch.partners.rules import (
    PARTNERSHIP_EXISTS,
    PARTNERSHIP_NOT_ANSWERABLE,
    PARTNERSHIP_NOT_IN_FORCE,
    PartnerOfferStatus,
    PartnershipState,
)
from haulier.contexts.dispatch.partners.showing import shown_partnership, state_of
from haulier.kernel.call import Call
from haulier.kernel.data.work import Conflict
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Limit, Rest, reads, writes

TAG = "Third-Party Delivery"
PATH = "/v1/partnerships"
BOSS = {Account.CLIENT_ADMIN}


@writes(
    "propose_partnership",
    audience=BOSS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    limits=(Limit(20, 3600, by=("user",)),),
    errors=(NOT_FOUND, PARTNERSHIP_EXISTS),
    doors=(Rest("POST", PATH, tag=TAG), GraphQL("proposePartnership")),
)
async def propose_partnership(call: Call, request: ProposePartnership) -> PartnershipAnswer:
    """Propose to another business that we give orders to them, or take orders from them. It holds once they accept."""
    them = await client_by_code(call.work, request.business)
    if them is None or them == call.client_id:
        raise NOT_FOUND()
    giving, us = request.role == "give", call.business.code
    giver, taker = (call.client_id, them) if giving else (them, call.client_id)
    try:
        async with call.work.savepoint():
            partnership_id = await store.propose(
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
    except Conflict as taken:
        raise PARTNERSHIP_EXISTS(business=request.business) from taken
    return await _answer(call, partnership_id)


@writes(
    "accept_partnership",
    audience=BOSS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNERSHIP_NOT_ANSWERABLE),
    doors=(Rest("POST", f"{PATH}/{{partnership_id}}/accept", tag=TAG), GraphQL("acceptPartnership")),
)
async def accept_partnership(call: Call, request: ThePartnership) -> PartnershipAnswer:
    """Accept what another business proposed. Accepted again, it stays so."""
    row = await store.partnership(call.work, request.partnership_id, call.client_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    shown = shown_partnership(call, row)
    if shown.state is PartnershipState.ENDED or shown.proposed_by_us:
        raise PARTNERSHIP_NOT_ANSWERABLE()
    if shown.state is PartnershipState.PROPOSED:
        await store.change_partnership(call.work, row.id, call.client_id, accepted_at=call.now)
    return await _answer(call, row.id)


@writes(
    "end_partnership",
    audience=BOSS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNERSHIP_NOT_IN_FORCE),
    doors=(Rest("POST", f"{PATH}/{{partnership_id}}/end", tag=TAG), GraphQL("endPartnership")),
)
async def end_partnership(call: Call, request: EndPartnership) -> PartnershipAnswer:
    """End a partnership, decline a proposal, or take one back. Open offers are withdrawn; orders taken already run on."""
    row = await store.partnership(call.work, request.partnership_id, call.client_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    if state_of(row) is PartnershipState.ENDED:
        raise PARTNERSHIP_NOT_IN_FORCE()
    ended = {"ended_at": call.now, "ended_by_giver": row.client_id == call.client_id, "reason": request.reason}
    await store.change_partnership(call.work, row.id, call.client_id, live=None, **ended)
    of_it = [store.offers.c.partnership_id == row.id]
    both = call.work.unwalled(store.BOTH_NAMED)
    await store.close(both, of_it, PartnerOfferStatus.WITHDRAWN, ended_at=call.now, reason=request.reason)
    return await _answer(call, row.id)


@reads(
    "list_partnerships",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("partnerships")),
)
async def list_partnerships(call: Call, request: ListPartnerships) -> Partnerships:
    """List the businesses that we give orders to or take orders from, proposals included. Newest first."""
    rows, total = await store.page_of_partnerships(
        call.work, call.client_id, request.state, request.role, request.per_page, request.offset
    )
    shown = [shown_partnership(call, row) for row in rows]
    return Partnerships(total=total, page=request.page, per_page=request.per_page, partnerships=shown)


async def _answer(call: Call, partnership_id: int) -> PartnershipAnswer:
    call.concerns("partnership", partnership_id)
    row = await store.partnership(call.work, partnership_id, call.client_id)
    return PartnershipAnswer(partnership=shown_partnership(call, row))
