"""Recipients' current choices and available windows."""

from haulier.contexts.booking.public import BOOKABLE_ORDER_STATUSES, FreeWindow, list_free_windows
from haulier.contexts.orders.public import RecipientFacts
from haulier.contexts.recipients.deliveries.rules import CHOOSE_WINDOW, possible_choices
from haulier.kernel.call import Call

DAYS_AHEAD, WINDOWS_MAX = 14, 40


async def list_choosable_windows(call: Call, order: RecipientFacts) -> list[FreeWindow]:
    """Return windows of the next two weeks that have free capacity and no price."""
    postal_code = (order.consignee or {}).get("postal_code")
    if not postal_code or order.status.name not in BOOKABLE_ORDER_STATUSES:
        return []
    return await list_free_windows(call, postal_code, days=DAYS_AHEAD, limit=WINDOWS_MAX)


async def list_choices(call: Call, order: RecipientFacts) -> list[str]:
    """Return the choices of an order's recipient.

    Choosing a window is included only if one is available.
    """
    possible = possible_choices(order.status) if order.type != "P" and order.consignee else []
    if CHOOSE_WINDOW in possible and not await list_choosable_windows(call, order):
        possible.remove(CHOOSE_WINDOW)
    return possible
