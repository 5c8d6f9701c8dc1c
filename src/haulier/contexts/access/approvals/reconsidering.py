"""Second thoughts about a write that waits: take back what one proposed, or see what it would do by now."""

from haulier.contexts.access.approvals import store
from haulier.contexts.access.approvals.contract import PendingWriteAnswer, ReviewedWrite, ThisApproval, WithdrawWrite
from haulier.contexts.access.approvals.deciding import decided, locked, tell
from haulier.contexts.access.approvals.rules import (
    APPROVAL_DECIDED,
    APPROVAL_EXPIRED,
    APPROVAL_PROPOSER_MAY_NOT,
    ApprovalStatus,
    why_not_open,
    why_not_rejected_by,
)
from haulier.contexts.access.approvals.running import as_proposer, rehearse
from haulier.contexts.access.approvals.showing import record_of, reviewer, waiting
from haulier.kernel import codec
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, SIGNED_IN, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, writes


@writes(
    "withdraw_pending_write",
    audience=SIGNED_IN,
    scopes={Scope.APPROVALS_READ},
    doors=(Rest("POST", "/v1/approvals/{approval_id}/withdraw"), GraphQL("withdrawPendingWrite")),
    errors=(NOT_FOUND, APPROVAL_DECIDED, APPROVAL_EXPIRED),
)
async def withdraw_pending_write(call: Call, request: WithdrawWrite) -> ReviewedWrite:
    """Take back a write that one proposed oneself and nobody has decided yet: it never runs."""
    row = await locked(call, request.approval_id)
    if row.proposed_by != call.actor:
        raise NOT_FOUND()
    if refusal := why_not_open(waiting(call, row), call.now):
        raise refusal
    return await decided(call, row, ApprovalStatus.WITHDRAWN, request.reason)


@writes(
    "renew_pending_write",
    audience=SIGNED_IN,
    scopes={Scope.APPROVALS_READ},
    doors=(Rest("POST", "/v1/approvals/{approval_id}/renew"), GraphQL("renewPendingWrite")),
    errors=(NOT_FOUND, APPROVAL_DECIDED, APPROVAL_EXPIRED, APPROVAL_PROPOSER_MAY_NOT),
)
async def renew_pending_write(call: Call, request: ThisApproval) -> PendingWriteAnswer:
    """Rehearse a waiting write once more, on behalf of whoever proposed it, and keep what it would do by now as its preview.

    For whoever proposed it, and for people at a desk who hold the scopes of the write. A write that would be refused by now
    is refused here, and keeps the preview it had.
    """
    row = await locked(call, request.approval_id)
    if row.proposed_by != call.actor and call.principal.account not in OFFICE:
        raise NOT_FOUND()
    facts = waiting(call, row)
    if refusal := why_not_open(facts, call.now) or why_not_rejected_by(reviewer(call), facts):
        raise refusal
    operation = call.house.registry[row.operation]
    proposer, asked = await as_proposer(call, row, operation)
    await store.renew(call.work, row.id, codec.plain(await rehearse(proposer, operation, asked)))
    call.concerns("pending_write", row.id)
    tell(call)
    return PendingWriteAnswer(approval=await record_of(call, await store.one(call.work, row.id)))
