"""The rate card that prices new orders."""

from haulier.contexts.orders.quotes import store
from haulier.contexts.orders.quotes.rules import RateCard
from haulier.kernel.call import Call


async def get_rate_card_in_force(call: Call) -> RateCard:
    """The client's rate card, or the default one while the client has not set its own."""
    return await store.load_rate_card(call.work)
