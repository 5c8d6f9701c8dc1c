"""Approve and refuse claims on inbound parcels."""

from haulier.contexts.consolidation.claims.actions import refuse_claim
from haulier.contexts.consolidation.claims.contract import InboundClaimAnswer, InboundClaimRef
from haulier.contexts.consolidation.claims.queries import InboundClaimRow, require_claim
from haulier.contexts.consolidation.claims.rules import (
    CLAIM_LIFE,
    INBOUND_CLAIM_DECIDED,
    ClaimState,
    InboundClaimStep,
)
from haulier.contexts.consolidation.claims.serializers import inbound_claim
from haulier.contexts.consolidation.inbound_parcels.actions.matches import MatchedBy, match_parcel
from haulier.contexts.consolidation.inbound_parcels.queries import InboundParcelRow, get_visible_parcel
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/consolidation/claims"
TOLD = ("contents", "declared_value", "declared_currency", "note")


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
    """Approve a claim on an inbound parcel.

    The parcel is assigned to the customer, and other claims on it are refused.
    """
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
    """Refuse a claim on an inbound parcel.

    The parcel stays in the queue of unmatched parcels.
    """
    _, claim = await _lock_pending_claim(call, request.claim_id, InboundClaimStep.REFUSE)
    await refuse_claim(call, claim.id)
    return await _answer(call, claim)


async def _lock_pending_claim(
    call: Call, claim_id: int, step: InboundClaimStep
) -> tuple[InboundParcelRow, InboundClaimRow]:
    """Lock the parcel of a claim, which every decision does, and return both. Raise `INBOUND_CLAIM_DECIDED`."""
    claim = await require_claim(call, claim_id)
    parcel = await get_visible_parcel(call, claim.parcel_id, lock=True)
    claim = await require_claim(call, claim_id)
    CLAIM_LIFE.next_status_or_raise(step, ClaimState(claim.state))
    return parcel, claim


async def _answer(call: Call, claim: InboundClaimRow) -> InboundClaimAnswer:
    call.add_audit_subjects("inbound_parcel", claim.parcel_id)
    return InboundClaimAnswer(claim=inbound_claim(await require_claim(call, claim.id)))
