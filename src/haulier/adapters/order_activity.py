"""Whether a client has any order, for a port of identity."""

from haulier.contexts.orders import public as orders
from haulier.kernel.call import Call


class StoredOrderActivity:
    """Answers from the table of orders."""

    async def has_orders(self, call: Call) -> bool:
        """Whether the client of the call has any order."""
        return await orders.has_orders(call)
