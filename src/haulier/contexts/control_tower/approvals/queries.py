"""What other families read of approvals."""

from collections.abc import Collection

from haulier.contexts.control_tower.approvals import store
from haulier.contexts.control_tower.approvals.rules import ApprovalStatus, effective_status
from haulier.kernel.call import Call


async def count_waiting_approvals(call: Call) -> int:
    """How many writes wait for somebody to approve them."""
    return await store.count_pending_writes(call.work, call.now)


async def get_approval_statuses(call: Call, ids: Collection[int]) -> dict[int, ApprovalStatus]:
    """How some proposed writes stand now; those that are no longer kept are left out."""
    if not ids:
        return {}
    found = await store.list_standings(call.work, ids)
    return {row.id: effective_status(ApprovalStatus(row.status), row.expires_at, call.now) for row in found}
