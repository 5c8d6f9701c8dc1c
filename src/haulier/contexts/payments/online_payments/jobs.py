"""Jobs that follow payments: payers leave, notices get lost, answers too."""

from datetime import timedelta

from haulier.contexts.payments.online_payments import store
from haulier.contexts.payments.online_payments.actions import (
    APPLY_NOTICE_JOB,
    FOLLOW_PAYMENT_JOB,
    ApplyNotice,
    FollowPayment,
    apply_provider_events,
    reconcile_payment,
)
from haulier.contexts.payments.online_payments.rules import retry_delay
from haulier.contexts.payments.ports import RefundStatus
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun

QUEUE = "outside"
NOTICES_KEPT = timedelta(days=90)
"""Providers repeat a notice for some days at most."""


@job(FOLLOW_PAYMENT_JOB, FollowPayment, queue=QUEUE)
async def reconcile_online_payment(run: JobRun, args: FollowPayment) -> None:
    """Query the provider about a payment, and repeat later while it is open."""
    if run.client_id is None:
        raise ValueError("a payment belongs to a client")
    await reconcile_payment(run.app, run.client_id, args.payment_id)
    if args.once:
        return
    async with run.call() as call:
        await store.delete_notices_before(call.work, call.now - NOTICES_KEPT)
        row = await store.get_payment_row(call.work, args.payment_id)
        refunds = await store.list_refund_rows(call.work, [args.payment_id])
        if row is not None and (row.open or any(each.status == RefundStatus.PENDING for each in refunds)):
            following = FollowPayment(row.id, args.round + 1)
            await call.enqueue(FOLLOW_PAYMENT_JOB, following, run_at=call.now + retry_delay(args.round))


@job(APPLY_NOTICE_JOB, ApplyNotice)
async def apply_payment_notice(run: JobRun, args: ApplyNotice) -> None:
    """Apply a notice of the provider."""
    async with run.call() as call:
        await apply_provider_events(call, (args.fact,))
