"""Monthly charges of storage orders."""

from haulier.contexts.storage.storage_orders.actions import (
    CHARGE_STORAGE_JOB,
    ChargeStorage,
    charge_next_month,
    charge_until,
)
from haulier.contexts.storage.storage_orders.rules import StorageOrderStatus
from haulier.contexts.storage.storage_orders.store import StorageOrderRow
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(CHARGE_STORAGE_JOB, ChargeStorage)
async def charge_stored_month(run: JobRun, args: ChargeStorage) -> None:
    """Charge an order for all days before this month, and schedule the next charge."""
    async with run.call() as call:
        row = await StorageOrderRow.lock(call.work, args.storage_order_id)
        if row is None or row.status != StorageOrderStatus.STORED:
            return
        month = call.today.replace(day=1)
        if row.charged_to is not None and month <= row.charged_to:
            return
        await charge_until(call, row, month)
        await charge_next_month(call, row.id)
