"""List, approve and refuse claims on inbound parcels."""

from haulier.contexts.consolidation.claims import store
from haulier.contexts.consolidation.claims.contract import (
    InboundClaimAnswer,
    InboundClaimList,
    InboundClaimRef,
    ListInboundClaims,
)
from haulier.contexts.consolidation.claims.rules import CLAIM_LIFE, INBOUND_CLAIM_DECIDED, ClaimState, InboundClaimStep
from haulier.contexts.consolidation.claims.serializers import inbound_claim
from haulier.contexts.consolidation.claims.store import InboundClaimRow, claims
from haulier.contexts.consolidation.inbound_parcels.actions.matches import MatchedBy, match_parcel
from haulier.contexts.consolidation.inbound_parcels.queries import InboundParcelRow, get_visible_parcel
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.values.pagination import MAX_COUNT, total_fields

PATH = "/v1/consolidation/claims"
TOLD = ("contents", "declared_value", "declared_currency", "note")


@reads(
    "list_inbound_claims",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.STORAGE_READ},
    doors=(
        Rest("GET", PATH),
        GraphQL("inboundClaims"),
        Mcp("list_inbound_claims", title="List claims on inbound parcels"),
    ),
)
async def list_inbound_claims(call: Call, request: ListInboundClaims) -> InboundClaimList:
    """List claims on parcels that arrived before they were announced, newest first. Customers see their own."""
    equal = {"state": request.state, "parcel_id": request.parcel_id}
    found = [claims.c[name] == value for name, value in equal.items() if value is not None]
    if call.principal.account is Account.CUSTOMER:
        found.append(claims.c.customer_id == call.actor)
    rows, counted = await store.list_claim_rows(
        call.work, found, limit=request.per_page, offset=request.offset, most=MAX_COUNT + 1
    )
    return InboundClaimList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        claims=[inbound_claim(row) for row in rows],
    )


@writes(
    "approve_inbound_claim",
    allowed_where={"state": CLAIM_LIFE.allowing(InboundClaimStep.APPROVE)},
    audience=OFFICE,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{PATH}/{{claim_id}}/approve"), GraphQL("approveInboundClaim")),
    errors=(NOT_FOUND, INBOUND_CLAIM_DECIDED),
)
async def approve_inbound_claim(call: Call, request: InboundClaimRef) -> InboundClaimAnswer:
    """Approve a claim. The parcel becomes the customer's, and other claims on it are refused."""
    parcel, claim = await _lock_pending_claim(call, request.claim_id, InboundClaimStep.APPROVE)
    told = {name: getattr(claim, name) for name in TOLD}
    await match_parcel(call, parcel, claim.customer_id, MatchedBy.PERSON, announced_at=claim.created_at, **told)
    return await _answer(call, claim)


@writes(
    "refuse_inbound_claim",
    allowed_where={"state": CLAIM_LIFE.allowing(InboundClaimStep.REFUSE)},
    audience=OFFICE,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{PATH}/{{claim_id}}/refuse"), GraphQL("refuseInboundClaim")),
    errors=(NOT_FOUND, INBOUND_CLAIM_DECIDED),
)
async def refuse_inbound_claim(call: Call, request: InboundClaimRef) -> InboundClaimAnswer:
    """Refuse a claim. The parcel stays in the queue of unmatched parcels."""
    _, claim = await _lock_pending_claim(call, request.claim_id, InboundClaimStep.REFUSE)
    await store.refuse_claim(call.work, claim.id, call.now, call.actor)
    return await _answer(call, claim)


async def _lock_pending_claim(
    call: Call, claim_id: int, step: InboundClaimStep
) -> tuple[InboundParcelRow, InboundClaimRow]:
    """Lock the parcel of a claim, which every decision does, and return both. Raise `INBOUND_CLAIM_DECIDED`."""
    claim = await _require_claim(call, claim_id)
    parcel = await get_visible_parcel(call, claim.parcel_id, lock=True)
    claim = await _require_claim(call, claim_id)
    CLAIM_LIFE.next_status_or_raise(step, ClaimState(claim.state))
    return parcel, claim


async def _require_claim(call: Call, claim_id: int) -> InboundClaimRow:
    row = await store.get_claim_row(call.work, claim_id)
    if row is None:
        raise record_not_found(claim_id=claim_id)
    return row


async def _answer(call: Call, claim: InboundClaimRow) -> InboundClaimAnswer:
    call.add_audit_subjects("inbound_parcel", claim.parcel_id)
    return InboundClaimAnswer(claim=inbound_claim(await _require_claim(call, claim.id)))
