"""A client's rules for redelivery, as other families read them."""

from haulier.contexts.orders.redelivery import store
from haulier.contexts.orders.redelivery.rules import RedeliveryPolicy
from haulier.kernel.call import Call


async def load_redelivery_policy(call: Call) -> RedeliveryPolicy:
    """The client's rules, or the defaults where the client set none."""
    return await store.get_redelivery_policy(call.work) or RedeliveryPolicy()
