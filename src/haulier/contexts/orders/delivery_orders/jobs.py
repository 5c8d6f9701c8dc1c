"""Orders follow what the carriers that they were entrusted to tell of their ends."""

from haulier.contexts.orders.delivery_orders.actions.order_sums import sync_orders_with_carriers
from haulier.contexts.tracking.events import OrderJourneysChanged
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(OrderJourneysChanged)
async def on_carrier_scans_of_orders(call: Call, event: OrderJourneysChanged) -> None:
    """Update the orders from their timelines.

    Handling the event twice changes nothing more.
    """
    await sync_orders_with_carriers(call, event.order_ids)
