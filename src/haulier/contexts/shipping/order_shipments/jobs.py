"""Orders follow their shipments."""

from collections.abc import Sequence

from haulier.contexts.orders.events import OrderCancelled
from haulier.contexts.shipping.events import LabelBought, LabelPurchaseFailed, LabelVoided
from haulier.contexts.shipping.order_shipments.actions import (
    sync_orders_of_shipments,
    sync_shipments_with_scans,
    void_labels_of_order,
)
from haulier.contexts.tracking.events import ParcelsReported
from haulier.kernel.background.events import DomainEvent, before_commit, subscriber
from haulier.kernel.call import Call


@before_commit(LabelBought, LabelPurchaseFailed, LabelVoided)
async def on_labels_changed(call: Call, events: Sequence[DomainEvent]) -> None:
    """Attach labels to orders, and free orders of void labels."""
    ids = {each.shipment_id for each in events if isinstance(each, (LabelBought, LabelPurchaseFailed, LabelVoided))}
    await sync_orders_of_shipments(call, ids)


@subscriber(ParcelsReported)
async def on_carrier_scans(call: Call, event: ParcelsReported) -> None:
    """Move orders whose parcels a carrier scanned."""
    await sync_shipments_with_scans(call, {update.tracking_number for update in event.updates})


@subscriber(OrderCancelled)
async def void_labels_of_cancelled_order(call: Call, event: OrderCancelled) -> None:
    """Void the labels of a cancelled order."""
    await void_labels_of_order(call, event.order_id)
