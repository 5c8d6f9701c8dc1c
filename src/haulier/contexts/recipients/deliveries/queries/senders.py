"""Sender of an order, as its recipient knows them."""

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.public import RecipientFacts
from haulier.kernel.call import Call


async def get_sender_name(call: Call, order: RecipientFacts) -> str | None:
    """Return the shipper or the ordering customer, or None for the business itself."""
    if order.shipper and order.shipper.get("name"):
        return order.shipper["name"]
    users = await get_users_by_id(call, [order.customer_id]) if order.customer_id else {}
    return next((user.name for user in users.values()), None)
