"""Jobs that update shipping orders from their deliveries and labels."""

from collections.abc import Sequence

from haulier.contexts.billing.public import Fulfilment
from haulier.contexts.orders.events import OrderStatusChanged
from haulier.contexts.shipping.events import LabelBought, LabelPurchaseFailed, ShipmentMoved
from haulier.contexts.shipping.labels.actions.submissions import begin_void, purchase_fault
from haulier.contexts.shipping.labels.queries import get_shipment_of_business, list_parcel_numbers
from haulier.contexts.shipping.shipping_orders import store
from haulier.contexts.shipping.shipping_orders.actions import buy_order_label, move_order
from haulier.contexts.shipping.shipping_orders.rules import (
    BUY_ORDER_LABEL_JOB,
    FOLLOW_DELIVERY_JOB,
    BuyOrderLabel,
    FollowDelivery,
    ShippingOrderState,
    ShippingOrderStep,
)
from haulier.contexts.tracking.public import NewEvent, Source, record_events, set_number_owner
from haulier.kernel.background.events import DomainEvent, before_commit, subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

BEGIN_STATUSES = frozenset({"PICKED_UP", "OUT_FOR_DELIVERY"})
DELIVERED = "DELIVERED"
LABEL_CREATED = "label_created"


@job(BUY_ORDER_LABEL_JOB, BuyOrderLabel, queue="outside")
async def buy_label_of_order(run: JobRun, args: BuyOrderLabel) -> None:
    """Buy the label of a confirmed order."""
    if run.client_id is None:
        raise ValueError("a shipping order belongs to a client")
    await buy_order_label(run.app, run.client_id, args.shipping_order_id)


@before_commit(OrderStatusChanged)
async def on_shipping_order_deliveries(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue updates for deliveries of shipping orders.

    Not a subscription: each step of each order would enqueue a job, and few deliveries are of shipping orders.
    """
    moved = {
        event.order_id: event.status
        for event in events
        if isinstance(event, OrderStatusChanged) and event.status in BEGIN_STATUSES | {DELIVERED}
    }
    for order_id in await store.list_deliveries_of_orders(call.work, moved) if moved else ():
        await call.enqueue(FOLLOW_DELIVERY_JOB, FollowDelivery(order_id, moved[order_id] == DELIVERED))


@job(FOLLOW_DELIVERY_JOB, FollowDelivery)
async def on_shipping_order_delivery_changed(run: JobRun, args: FollowDelivery) -> None:
    """Start or complete the order of a delivery.

    Orders handed to a carrier are completed by the carrier.
    """
    async with run.call() as call:
        row = await store.lock_order_of_delivery(call.work, args.order_id)
        if row is None:
            return
        completed = args.delivered and Fulfilment.LABEL not in row.fulfilment
        await move_order(call, row, ShippingOrderStep.COMPLETE if completed else ShippingOrderStep.BEGIN)


@subscriber(LabelBought)
async def on_label_purchased(call: Call, event: LabelBought) -> None:
    """Let the customer track the label; void it if the order was cancelled meanwhile."""
    row = await store.lock_order_of_shipment(call.work, event.shipment_id)
    if row is None:
        return
    if row.state == ShippingOrderState.CANCELLED:
        shipment = await get_shipment_of_business(call, event.shipment_id, lock=True)
        if shipment is not None:
            await begin_void(call, shipment)
        return
    numbers = await list_parcel_numbers(call, event.shipment_id)
    await set_number_owner(call, row.customer_id, shipped_numbers=numbers)
    if row.tracking_number is None:
        changes = {"tracking_number": event.tracking_number, "updated_at": call.now}
        await store.update_shipping_order_row(call.work, row.id, changes)
    await _record_carrier_step(call, row, LABEL_CREATED, event.carrier)


@subscriber(LabelPurchaseFailed)
async def on_label_purchase_failed(call: Call, event: LabelPurchaseFailed) -> None:
    """Record a failed label; staff retry by confirming the order again."""
    row = await store.lock_order_of_shipment(call.work, event.shipment_id)
    if row is not None and row.state == ShippingOrderState.CONFIRMED:
        said = await purchase_fault(call, event.shipment_id)
        changes = {"shipment_id": None, "label_fault": said[:500], "updated_at": call.now}
        await store.update_shipping_order_row(call.work, row.id, changes)


@subscriber(ShipmentMoved)
async def on_shipping_order_label_changed(call: Call, event: ShipmentMoved) -> None:
    """Start or complete the order of a label that the carrier moved."""
    row = await store.lock_order_of_shipment(call.work, event.shipment_id)
    if row is None:
        return
    delivered = event.state == "delivered"
    await move_order(call, row, ShippingOrderStep.COMPLETE if delivered else ShippingOrderStep.BEGIN)
    await _record_carrier_step(call, row, "delivered" if delivered else "in_transit", event.carrier)


async def _record_carrier_step(call: Call, row: store.ShippingOrderRow, code: str, carrier: str) -> None:
    """Record carrier steps in the delivery's timeline, so that one timeline has all."""
    if row.order_id is None or row.tracking_number is None:
        return
    told = NewEvent(
        tracking_number=row.tracking_number,
        status_code=code,
        occurred_at=call.now,
        source=Source(type="carrier", name=carrier.lower()),
        reference=f"shipping-order-{row.id}-{code}",
        order_id=row.order_id,
    )
    await record_events(call, [told])
