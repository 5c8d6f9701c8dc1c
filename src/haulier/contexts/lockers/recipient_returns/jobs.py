"""Handlers that update returns from their compartments and orders."""

from haulier.contexts.lockers.events import LockerParcelChanged
from haulier.contexts.lockers.parcels.rules import LockerStatus
from haulier.contexts.lockers.recipient_returns.actions import on_box_lost, on_order_cancelled, record_hand_in
from haulier.contexts.lockers.recipient_returns.queries import brings_return_back
from haulier.contexts.orders.events import OrderCancelled
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(LockerParcelChanged)
async def on_return_box_changed(call: Call, event: LockerParcelChanged) -> None:
    """Update a return that was dropped off, or whose compartment was released.

    Idempotent.
    """
    if event.order_id is None or not await brings_return_back(call, event.order_id):
        return
    if event.status == LockerStatus.DEPOSITED:
        await record_hand_in(call, event.order_id)
    elif event.status == LockerStatus.CANCELLED:
        await on_box_lost(call, event.order_id)


@subscriber(OrderCancelled)
async def on_return_order_cancelled(call: Call, event: OrderCancelled) -> None:
    """Update a return whose order was cancelled. Idempotent."""
    await on_order_cancelled(call, event.order_id)
