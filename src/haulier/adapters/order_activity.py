"""Implementation of the identity port for order activity."""

from haulier.contexts.orders import public as orders
from haulier.kernel.call import Call


class StoredOrderActivity:
    """Lookup in the table of orders."""

    async def has_orders(self, call: Call) -> bool:
        """Return True if the client of the call has any order."""
        return await orders.has_orders(call)
