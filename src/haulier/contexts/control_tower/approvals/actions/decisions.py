"""The end of a wait: looked up and held, decided once, and told to whoever watches."""

from typing import Any

from haulier.contexts.control_tower.approvals import store
from haulier.contexts.control_tower.approvals.contract import ReviewedWrite
from haulier.contexts.control_tower.approvals.rules.lifecycle import APPROVAL_DECIDED, ApprovalStatus
from haulier.contexts.control_tower.approvals.serializers import to_pending_write
from haulier.contexts.control_tower.events import WriteDecided
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import NOT_FOUND

APPROVALS_CHANNEL = "approvals"
"""Who listens here hears the number of a client whose approvals changed."""


async def lock_pending_write(call: Call, id: int) -> Any:
    """The row, held until the transaction ends, so that two do not decide at once. Raises `NOT_FOUND`."""
    row = await store.get_pending_write(call.work, id, lock=True)
    if row is None or call.app.registry.get(row.operation) is None:
        raise NOT_FOUND()
    return row


async def decide_pending_write(
    call: Call, row: Any, status: ApprovalStatus, note: str | None, answer: Any = None
) -> ReviewedWrite:
    """End the wait. Raises `APPROVAL_DECIDED` when it has ended before."""
    if not await store.end_pending_write(call.work, row.id, status, call.now, by=call.actor, note=note, answer=answer):
        raise APPROVAL_DECIDED(status=row.status)
    call.add_audit_subjects("pending_write", row.id)
    notify_watchers(call)
    await call.publish(WriteDecided(approval_id=row.id, operation=row.operation, status=status.value))
    approval = await to_pending_write(call, await store.get_pending_write(call.work, row.id))
    return ReviewedWrite(message=call.translate(f"approval_{status.value}", id=row.id), approval=approval)


def notify_watchers(call: Call) -> None:
    """Wake whoever watches the approvals of this client, after the commit."""
    call.work.notify(APPROVALS_CHANNEL, str(call.client_id))
