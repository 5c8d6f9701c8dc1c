"""Deliveries that are a part of something a customer bought: that has a price, and they have none of their own."""

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.actions.create import AgreedTerms, create_orders
from haulier.contexts.orders.delivery_orders.actions.withdrawal import cancel_orders
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.rules.lifecycle import NOT_PICKED_UP_STATUSES, OrderStatus
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.ports import OrderRoutes
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import CONFLICT


class BoughtDelivery(Struct, frozen=True):
    """A delivery that was created."""

    order_id: int
    tracking_number: str


async def create_bought_delivery(call: Call, request: CreateOrder) -> BoughtDelivery:
    """Create a delivery without a price of its own. Raises as creating an order does."""
    bought = {"service": request.service, "signature_required": request.signature_required}
    (outcome,) = await create_orders(call, [request], agreed={0: AgreedTerms(bought, None)})
    if outcome.row is None:
        raise outcome.error or CONFLICT()
    return BoughtDelivery(outcome.row.id, outcome.row.tracking_number)


async def cancel_bought_delivery(call: Call, order_id: int, reason: str) -> bool:
    """Cancel a delivery that nobody began. False where goods were picked up already; one that is cancelled stays so."""
    await call.adapter(OrderRoutes).lock(call, [order_id])
    for row in await store.list_order_rows(call.work, [order_id], lock=True):
        if row.status in NOT_PICKED_UP_STATUSES:
            await cancel_orders(call, [order_id], reason)
        elif row.status != OrderStatus.CANCELLED:
            return False
    return True
