"""Jobs that update ship-outs from their deliveries."""

from collections.abc import Sequence

from haulier.contexts.orders.events import OrderStatusChanged
from haulier.contexts.shipping.events import LabelBought, LabelPurchaseFailed, ShipmentMoved
from haulier.contexts.shipping.public import list_parcel_numbers, purchase_fault, withdraw_label
from haulier.contexts.storage.shipouts import store
from haulier.contexts.storage.shipouts.actions import (
    BUY_SHIPOUT_LABEL_JOB,
    FOLLOW_SHIPOUT_JOB,
    BuyShipoutLabel,
    FollowShipout,
    buy_shipout_label,
    deliver_shipout,
    ship_shipout,
)
from haulier.contexts.storage.shipouts.rules import ShipoutStatus
from haulier.contexts.storage.shipouts.store import ShipoutRow
from haulier.contexts.tracking.public import set_number_owner
from haulier.kernel.background.events import DomainEvent, before_commit, subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

LEAVING_STATUSES = frozenset({"PICKED_UP", "OUT_FOR_DELIVERY"})
DELIVERED = "DELIVERED"


@before_commit(OrderStatusChanged)
async def on_shipout_deliveries(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue updates for deliveries of ship-outs.

    Not a subscription: each step of each order would enqueue a job, and few deliveries are of ship-outs.
    """
    moved = {
        event.order_id: event.status
        for event in events
        if isinstance(event, OrderStatusChanged) and event.status in LEAVING_STATUSES | {DELIVERED}
    }
    for order_id in await store.list_deliveries_of_shipouts(call.work, moved) if moved else ():
        await call.enqueue(FOLLOW_SHIPOUT_JOB, FollowShipout(order_id, moved[order_id] == DELIVERED))


@job(FOLLOW_SHIPOUT_JOB, FollowShipout)
async def on_shipout_delivery_changed(run: JobRun, args: FollowShipout) -> None:
    """Mark a ship-out as shipped or delivered when its driver reports it."""
    async with run.call() as call:
        row = await store.lock_shipout_of_delivery(call.work, args.order_id)
        if row is not None:
            await _on_delivery_changed(call, row, delivered=args.delivered)


async def _on_delivery_changed(call: Call, row: ShipoutRow, *, delivered: bool) -> None:
    if delivered and row.status in (ShipoutStatus.CONFIRMED, ShipoutStatus.SHIPPED):
        await deliver_shipout(call, row)
    elif row.status == ShipoutStatus.CONFIRMED:
        await ship_shipout(call, row)


@job(BUY_SHIPOUT_LABEL_JOB, BuyShipoutLabel, queue="outside")
async def buy_label_of_shipout(run: JobRun, args: BuyShipoutLabel) -> None:
    """Buy the label of a confirmed ship-out."""
    if run.client_id is None:
        raise ValueError("a ship-out belongs to a client")
    await buy_shipout_label(run.app, run.client_id, args.shipout_id)


@subscriber(LabelBought)
async def on_shipout_label_purchased(call: Call, event: LabelBought) -> None:
    """Let the customer track the label, or void it.

    It is voided if the ship-out was cancelled meanwhile.
    """
    row = await store.lock_shipout_of_shipment(call.work, event.shipment_id)
    if row is None:
        return
    if row.status == ShipoutStatus.CANCELLED:
        await withdraw_label(call, event.shipment_id)
        return
    numbers = await list_parcel_numbers(call, event.shipment_id)
    await set_number_owner(call, row.customer_id, shipped_numbers=numbers)
    if row.tracking_number is None:
        await ShipoutRow.update(call.work, row.id, {"tracking_number": event.tracking_number})


@subscriber(LabelPurchaseFailed)
async def on_shipout_label_failed(call: Call, event: LabelPurchaseFailed) -> None:
    """Store why the carrier sold no label; staff confirm the ship-out again to retry."""
    row = await store.lock_shipout_of_shipment(call.work, event.shipment_id)
    if row is not None and row.status == ShipoutStatus.CONFIRMED:
        fault = await purchase_fault(call, event.shipment_id)
        await ShipoutRow.update(call.work, row.id, {"shipment_id": None, "label_fault": fault[: store.FAULT_MAX]})


@subscriber(ShipmentMoved)
async def on_shipout_label_changed(call: Call, event: ShipmentMoved) -> None:
    """Mark a ship-out as shipped or delivered when its carrier reports it."""
    row = await store.lock_shipout_of_shipment(call.work, event.shipment_id)
    if row is not None:
        await _on_delivery_changed(call, row, delivered=event.state == "delivered")
