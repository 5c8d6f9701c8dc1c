"""Implementation of the billing port for pending charges: delivered orders."""

from collections.abc import Collection, Sequence
from datetime import date

from haulier.contexts.billing.public import PendingCharge, PendingSum
from haulier.contexts.orders import public as orders
from haulier.kernel.call import Call


class PendingOrderCharges:
    """Delivered orders that their invoice run charges."""

    async def sum_by_customer(self, call: Call, until: date) -> Sequence[PendingSum]:
        """Return the pending charges until a day, by customer and currency."""
        return await orders.sum_pending_charges(call, until)

    async def list_pending(self, call: Call, customer_ids: Collection[int], until: date) -> Sequence[PendingCharge]:
        """Return the pending charges of customers until a day."""
        return await orders.list_pending_charges(call, customer_ids, until)

    async def lock(self, call: Call, customer_id: int, until: date) -> Sequence[int]:
        """Lock and return the orders with pending charges of a customer until a day."""
        return await orders.lock_pending_orders(call, customer_id, until)

    async def charge(self, call: Call, record_ids: Sequence[int]) -> Sequence[int]:
        """Charge locked orders. Return the transfers."""
        return await orders.charge_pending_orders(call, record_ids)
