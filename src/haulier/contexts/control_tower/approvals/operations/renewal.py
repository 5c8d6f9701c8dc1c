"""Withdraw a waiting write that one proposed, or renew its preview."""

from haulier.contexts.control_tower.approvals import store
from haulier.contexts.control_tower.approvals.actions.decisions import (
    decide_pending_write,
    load_pending_write,
    lock_pending_write,
    notify_watchers,
)
from haulier.contexts.control_tower.approvals.actions.execution import call_as_proposer, preview_write
from haulier.contexts.control_tower.approvals.contract import (
    ApprovalRef,
    PendingWriteDetail,
    ReviewedWrite,
    WithdrawWrite,
)
from haulier.contexts.control_tower.approvals.rules.lifecycle import (
    APPROVAL_DECIDED,
    APPROVAL_EXPIRED,
    APPROVAL_LIFE,
    APPROVAL_PROPOSER_MAY_NOT,
    ApprovalAction,
    ApprovalStatus,
    check_may_reject,
    check_open,
)
from haulier.contexts.control_tower.approvals.serializers import to_pending_write_facts, to_reviewer
from haulier.kernel.call import Call
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@writes(
    "withdraw_pending_write",
    allowed_where={"status": APPROVAL_LIFE.allowing(ApprovalAction.WITHDRAW)},
    audience=SIGNED_IN,
    scopes={Scope.APPROVALS_READ},
    doors=(Rest("POST", "/v1/approvals/{approval_id}/withdraw"), GraphQL("withdrawPendingWrite")),
    errors=(NOT_FOUND, APPROVAL_DECIDED, APPROVAL_EXPIRED),
)
async def withdraw_pending_write(call: Call, request: WithdrawWrite) -> ReviewedWrite:
    """Take back a write that one proposed oneself and nobody has decided yet: it never runs."""
    row = await lock_pending_write(call, request.approval_id)
    if row.proposed_by != call.actor:
        raise NOT_FOUND()
    if error := check_open(to_pending_write_facts(call, row), call.now):
        raise error
    return await decide_pending_write(call, row, ApprovalStatus.WITHDRAWN, request.reason)


@writes(
    "renew_pending_write",
    allowed_where={"status": APPROVAL_LIFE.allowing(ApprovalAction.APPROVE)},
    audience=SIGNED_IN,
    scopes={Scope.APPROVALS_READ},
    doors=(Rest("POST", "/v1/approvals/{approval_id}/renew"), GraphQL("renewPendingWrite")),
    errors=(NOT_FOUND, APPROVAL_DECIDED, APPROVAL_EXPIRED, APPROVAL_PROPOSER_MAY_NOT),
)
async def renew_pending_write(call: Call, request: ApprovalRef) -> PendingWriteDetail:
    """Make another dry run of a waiting write, on behalf of whoever proposed it, and keep the result as its preview.

    For whoever proposed it, and for office staff who hold the scopes of the write. A write that would be refused by now
    is refused here, and keeps the preview it had.
    """
    row = await lock_pending_write(call, request.approval_id)
    if row.proposed_by != call.actor and call.principal.account not in OFFICE:
        raise NOT_FOUND()
    facts = to_pending_write_facts(call, row)
    if error := check_open(facts, call.now) or check_may_reject(to_reviewer(call), facts):
        raise error
    operation = call.app.registry[row.operation]
    proposer, proposed = await call_as_proposer(call, row, operation)
    await store.update_preview(
        call.work, row.id, codec.to_plain_values(await preview_write(proposer, operation, proposed))
    )
    call.add_audit_subjects("pending_write", row.id)
    notify_watchers(call)
    return PendingWriteDetail(approval=await load_pending_write(call, row.id))
