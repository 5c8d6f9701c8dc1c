"""Approvals for other families."""

from collections.abc import Collection

from haulier.contexts.control_tower.approvals import store
from haulier.contexts.control_tower.approvals.rules import ApprovalStatus, effective_status
from haulier.kernel.call import Call


async def count_waiting_approvals(call: Call) -> int:
    """Return the number of writes that wait for approval."""
    return await store.count_pending_writes(call.work, call.now)


async def get_approval_statuses(call: Call, ids: Collection[int]) -> dict[int, ApprovalStatus]:
    """Return the current status of proposed writes; deleted ones are missing."""
    if not ids:
        return {}
    found = await store.list_standings(call.work, ids)
    return {row.id: effective_status(ApprovalStatus(row.status), row.expires_at, call.now) for row in found}
