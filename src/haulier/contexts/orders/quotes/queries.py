"""The rate cards that price new orders."""

from haulier.contexts.orders.quotes import store
from haulier.contexts.orders.quotes.rules.quoted import QUOTE_VALIDITY, RateCards
from haulier.contexts.places.public import get_zone_surcharges
from haulier.kernel.call import Call


async def get_rate_cards(call: Call, *, quoted: bool) -> RateCards:
    """The client's rate card, or the default one while it has none; with `quoted`, those that quotes still promise too."""
    past = await store.list_past_rate_cards(call.work) if quoted else []
    zones = await get_zone_surcharges(call, call.now - QUOTE_VALIDITY if quoted else None)
    return RateCards(await store.load_rate_card(call.work), past, zones)
