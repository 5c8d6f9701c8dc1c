"""One waiting write is reviewed: carried out, or rejected."""

from haulier.contexts.control_tower.approvals import store
from haulier.contexts.control_tower.approvals.actions.decisions import decide_pending_write, lock_pending_write
from haulier.contexts.control_tower.approvals.actions.execution import execute_pending_write
from haulier.contexts.control_tower.approvals.contract import ReviewedWrite
from haulier.contexts.control_tower.approvals.rules.lifecycle import (
    APPROVAL_PREVIEW_CHANGED,
    ApprovalStatus,
    check_may_approve,
    check_may_reject,
    check_open,
)
from haulier.contexts.control_tower.approvals.serializers import (
    compute_preview_tag,
    to_pending_write_facts,
    to_reviewer,
)
from haulier.kernel.call import Call
from haulier.kernel.operations import codec
from haulier.kernel.pipeline.reach import account_not_allowed, can_oversee


async def approve_write(call: Call, id: int, note: str | None, preview_tag: str | None) -> ReviewedWrite:
    """Carry out a waiting write as whoever proposed it. Raises why it may not be approved, or why it is refused by now."""
    row = await lock_pending_write(call, id)
    facts = to_pending_write_facts(call, row)
    if error := check_open(facts, call.now) or check_may_approve(
        to_reviewer(call), facts, await store.get_client_policy(call.work)
    ):
        raise error
    operation = call.app.registry[row.operation]
    if not can_oversee(operation, call.principal):  # its contents are hidden, so nothing could be reviewed
        raise account_not_allowed(call.principal, operation)
    if preview_tag not in {None, compute_preview_tag(row)}:
        raise APPROVAL_PREVIEW_CHANGED()
    answer = await execute_pending_write(call, row, operation)
    return await decide_pending_write(call, row, ApprovalStatus.EXECUTED, note, codec.to_plain_values(answer))


async def reject_write(call: Call, id: int, reason: str | None) -> ReviewedWrite:
    """Reject a waiting write: it never runs. Raises why it may not be rejected."""
    row = await lock_pending_write(call, id)
    facts = to_pending_write_facts(call, row)
    if error := check_open(facts, call.now) or check_may_reject(to_reviewer(call), facts):
        raise error
    return await decide_pending_write(call, row, ApprovalStatus.REJECTED, reason)
