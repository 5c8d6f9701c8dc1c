"""The end of a wait: the row is locked, decided once, and those who watch are notified."""

from typing import Any

from haulier.contexts.control_tower.approvals import store
from haulier.contexts.control_tower.approvals.contract import PendingWrite, ReviewedWrite
from haulier.contexts.control_tower.approvals.rules.lifecycle import APPROVAL_DECIDED, ApprovalStatus
from haulier.contexts.control_tower.approvals.serializers import to_pending_write
from haulier.contexts.control_tower.approvals.store import PendingWriteRow
from haulier.contexts.control_tower.events import WriteDecided
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import NOT_FOUND

APPROVALS_CHANNEL = "approvals"
"""The channel whose notices name the client whose approvals changed."""


async def lock_pending_write(call: Call, id: int) -> PendingWriteRow:
    """The row, held until the transaction ends, so that two do not decide at once. Raises `NOT_FOUND`."""
    row = await store.get_pending_write(call.work, id, lock=True)
    if row is None or call.app.registry.get(row.operation) is None:
        raise NOT_FOUND()
    return row


async def load_pending_write(call: Call, id: int) -> PendingWrite:
    """A proposed write as it is now. Raises `NOT_FOUND`."""
    row = await store.get_pending_write(call.work, id)
    if row is None:
        raise NOT_FOUND()
    return await to_pending_write(call, row)


async def decide_pending_write(
    call: Call, row: PendingWriteRow, status: ApprovalStatus, note: str | None, answer: Any = None
) -> ReviewedWrite:
    """End the wait. Raises `APPROVAL_DECIDED` when it has ended before."""
    if not await store.end_pending_write(call.work, row.id, status, call.now, by=call.actor, note=note, answer=answer):
        raise APPROVAL_DECIDED(status=row.status)
    call.add_audit_subjects("pending_write", row.id)
    notify_watchers(call)
    await call.publish(WriteDecided(approval_id=row.id, operation=row.operation, status=status.value))
    approval = await load_pending_write(call, row.id)
    return ReviewedWrite(message=call.translate(f"approval_{status.value}", id=row.id), approval=approval)


def notify_watchers(call: Call) -> None:
    """Wake whoever watches the approvals of this client, after the commit."""
    call.work.notify(APPROVALS_CHANNEL, str(call.client_id))
