"""What other families read of approvals."""

from haulier.contexts.control_tower.approvals import store
from haulier.kernel.call import Call


async def count_waiting_approvals(call: Call) -> int:
    """How many writes wait for somebody to approve them."""
    return await store.count_pending_writes(call.work, call.now)
