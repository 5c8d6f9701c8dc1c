"""The end of a wait: looked up and held, decided once, and told to whoever watches."""

from typing import Any

from haulier.contexts.access.approvals import store
from haulier.contexts.access.approvals.contract import ReviewedWrite
from haulier.contexts.access.approvals.rules import APPROVAL_DECIDED, ApprovalStatus
from haulier.contexts.access.approvals.showing import record_of
from haulier.contexts.access.events import WriteDecided
from haulier.kernel.call import Call
from haulier.kernel.errors import NOT_FOUND

CHANNEL = "approvals"
"""Who listens here hears the number of a client whose approvals changed."""


async def locked(call: Call, id: int) -> Any:
    """The row, held until the transaction ends, so that two do not decide at once. Raises `NOT_FOUND`."""
    row = await store.one(call.work, id, lock=True)
    if row is None or call.house.registry.get(row.operation) is None:
        raise NOT_FOUND()
    return row


async def decided(call: Call, row: Any, status: ApprovalStatus, note: str | None, answer: Any = None) -> ReviewedWrite:
    """End the wait. Raises `APPROVAL_DECIDED` when it has ended before."""
    if not await store.end(call.work, row.id, status, call.now, by=call.actor, note=note, answer=answer):
        raise APPROVAL_DECIDED(status=row.status)
    call.concerns("pending_write", row.id)
    tell(call)
    await call.announce(WriteDecided(approval_id=row.id, operation=row.operation, status=status.value))
    approval = await record_of(call, await store.one(call.work, row.id))
    return ReviewedWrite(message=call.say(f"approval_{status.value}", id=row.id), approval=approval)


def tell(call: Call) -> None:
    """Wake whoever watches the approvals of this client, after the commit."""
    call.work.notify(CHANNEL, str(call.client_id))
