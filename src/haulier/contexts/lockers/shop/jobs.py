"""Jobs that release paid purchases and end overdue ones."""

from datetime import timedelta

from haulier.contexts.lockers.devices.queries import list_commands_of_parcels
from haulier.contexts.lockers.devices.rules import WAITING, CommandState
from haulier.contexts.lockers.shop import store
from haulier.contexts.lockers.shop.actions import (
    DUE_JOB,
    FORGET_JOB,
    RELEASE_JOB,
    SILENCE_JOB,
    DuePurchase,
    expire_purchase,
    is_being_opened,
    refund_purchase,
    release_purchase,
)
from haulier.contexts.lockers.shop.queries import get_purchase
from haulier.contexts.lockers.shop.rules import RELEASE_GRACE, EndReason, ShopStatus
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun

LOOK_AGAIN = timedelta(minutes=1)


@job(RELEASE_JOB, DuePurchase)
async def release_paid_purchase(run: JobRun, args: DuePurchase) -> None:
    """Send the code of a paid purchase, or refund it. Idempotent."""
    async with run.call() as call:
        await release_purchase(call, await get_purchase(call, args.purchase_id, lock=True))


@job(DUE_JOB, DuePurchase)
async def end_time_of_purchase(run: JobRun, args: DuePurchase) -> None:
    """End a purchase that missed its payment, release or pickup deadline. Idempotent."""
    async with run.call() as call:
        row = await get_purchase(call, args.purchase_id, lock=True)
        if row.status == ShopStatus.RESERVED and row.reserved_until <= call.now:
            await expire_purchase(call, row, EndReason.LAPSED)
        elif row.status == ShopStatus.PAID and row.paid_at and row.paid_at + RELEASE_GRACE <= call.now:
            await refund_purchase(call, row, EndReason.NOT_RELEASED)
        elif row.status == ShopStatus.READY and row.pickup_until and row.pickup_until <= call.now:
            if await is_being_opened(call, row):
                await call.enqueue(DUE_JOB, args, run_at=call.now + LOOK_AGAIN)
            else:
                await refund_purchase(call, row, EndReason.NOT_COLLECTED)


@job(FORGET_JOB, DuePurchase)
async def erase_buyer(run: JobRun, args: DuePurchase) -> None:
    """Delete the address of a guest once their link has expired. Idempotent."""
    async with run.call() as call:
        await store.update_purchase(call.work, args.purchase_id, {"buyer_email": None})


@job(SILENCE_JOB, DuePurchase)
async def check_silent_door(run: JobRun, args: DuePurchase) -> None:
    """Refund a purchase whose locker never reported an open door. Idempotent."""
    async with run.call() as call:
        row = await get_purchase(call, args.purchase_id, lock=True)
        if row.status != ShopStatus.READY:
            return
        states = [
            CommandState(each.status)
            for each in (await list_commands_of_parcels(call, [row.parcel_id])).get(row.parcel_id, [])
        ]
        if any(state in WAITING for state in states):
            await call.enqueue(SILENCE_JOB, args, run_at=call.now + LOOK_AGAIN)
        else:
            await refund_purchase(call, row, EndReason.DOOR_SILENT)
