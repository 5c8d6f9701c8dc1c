"""Handler that releases the compartments of cancelled drop-offs."""

from haulier.contexts.lockers.drop_offs.actions import release_drop_off
from haulier.contexts.orders.events import OrderCancelled
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(OrderCancelled)
async def release_drop_off_of_cancelled_order(call: Call, event: OrderCancelled) -> None:
    """Release the compartment of a cancelled order. Idempotent."""
    await release_drop_off(call, event.order_id)
