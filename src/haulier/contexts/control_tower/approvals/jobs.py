"""Expiry of pending writes."""

from msgspec import Struct

from haulier.contexts.control_tower.approvals import store
from haulier.contexts.control_tower.approvals.actions import notify_watchers
from haulier.contexts.control_tower.approvals.rules import ApprovalStatus, effective_status
from haulier.contexts.control_tower.events import WriteDecided
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


class ExpireWrite(Struct):
    """Job arguments: a pending write."""

    approval_id: int


@job("approvals.expire", ExpireWrite)
async def expire_pending_write(run: JobRun, args: ExpireWrite) -> None:
    """Expire a pending write. Repeats and decided writes change nothing."""
    async with run.call() as call:
        row = await store.get_pending_write(call.work, args.approval_id, lock=True)
        if (
            row is None
            or effective_status(ApprovalStatus(row.status), row.expires_at, call.now) is not ApprovalStatus.EXPIRED
        ):
            return
        if await store.end_pending_write(call.work, row.id, ApprovalStatus.EXPIRED, call.now):
            news = WriteDecided(approval_id=row.id, operation=row.operation, status=ApprovalStatus.EXPIRED.value)
            notify_watchers(call)
            await call.publish(news)
