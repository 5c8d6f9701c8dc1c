"""Whether a business has begun to trade: access asks, orders know."""

from haulier.contexts.orders import public as orders
from haulier.kernel.call import Call


class StoredOrderActivity:
    """A business trades once it has an order."""

    async def has_orders(self, call: Call) -> bool:
        """Whether the client of the call has any order."""
        return await orders.has_orders(call)
