"""A pending write that nobody decided in time."""

from msgspec import Struct

from haulier.contexts.access.approvals import store
from haulier.contexts.access.approvals.deciding import tell
from haulier.contexts.access.approvals.rules import ApprovalStatus, stands
from haulier.contexts.access.events import WriteDecided
from haulier.kernel.errands import errand
from haulier.kernel.run import Run


class ExpireWrite(Struct):
    """Which pending write."""

    approval_id: int


@errand("approvals.expire", ExpireWrite)
async def expire(run: Run, args: ExpireWrite) -> None:
    """Note that a pending write's time has passed. Running it again, or after a decision, changes nothing."""
    async with run.call() as call:
        row = await store.one(call.work, args.approval_id, lock=True)
        if row is None or stands(ApprovalStatus(row.status), row.expires_at, call.now) is not ApprovalStatus.EXPIRED:
            return
        if await store.end(call.work, row.id, ApprovalStatus.EXPIRED, call.now):
            news = WriteDecided(approval_id=row.id, operation=row.operation, status=ApprovalStatus.EXPIRED.value)
            tell(call)
            await call.announce(news)
