"""Handlers that cancel unpaid device orders and follow local deliveries."""

from collections.abc import Sequence

from haulier.contexts.lockers.device_orders import store
from haulier.contexts.lockers.device_orders.actions import (
    CANCEL_UNPAID_JOB,
    DEVICE_LETTER_JOB,
    FOLLOW_DEVICES_JOB,
    CancelUnpaidDevices,
    DeviceEmail,
    FollowDevices,
    cancel_device_order,
    record_delivered,
)
from haulier.contexts.lockers.device_orders.rules import DeviceOrderStatus
from haulier.contexts.lockers.device_orders.store import DeviceOrderRow
from haulier.contexts.orders.events import OrderStatusChanged
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

DELIVERED = "DELIVERED"


@job(CANCEL_UNPAID_JOB, CancelUnpaidDevices)
async def cancel_unpaid_device_order(run: JobRun, args: CancelUnpaidDevices) -> None:
    """Cancel a confirmed order that was not paid in time and release its stock."""
    async with run.call() as call:
        row = await DeviceOrderRow.lock(call.work, args.device_order_id)
        if row is not None and row.status == DeviceOrderStatus.CONFIRMED:
            await cancel_device_order(call, row)
            await call.enqueue(DEVICE_LETTER_JOB, DeviceEmail(row.id, "not_paid"))


@before_commit(OrderStatusChanged)
async def on_device_deliveries(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue a job for each completed local delivery of devices.

    A subscription would enqueue a job for every delivered order, and few orders deliver devices.
    """
    came = [event.order_id for event in events if isinstance(event, OrderStatusChanged) and event.status == DELIVERED]
    for order_id in await store.list_deliveries_of_devices(call.work, came) if came else ():
        await call.enqueue(FOLLOW_DEVICES_JOB, FollowDevices(order_id))


@job(FOLLOW_DEVICES_JOB, FollowDevices)
async def on_device_delivery_changed(run: JobRun, args: FollowDevices) -> None:
    """Mark an order as delivered once its local delivery is completed."""
    async with run.call() as call:
        await record_delivered(call, args.order_id)
