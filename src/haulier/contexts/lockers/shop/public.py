"""Interface of the locker shop for other contexts."""

from haulier.contexts.billing.public import DueOrder, Payable
from haulier.contexts.lockers.shop.actions import CARD, pay_purchase
from haulier.contexts.lockers.shop.contract import ShopLink
from haulier.contexts.lockers.shop.queries import ShopAtScreens, get_purchase, open_link
from haulier.contexts.lockers.shop.rules import SHOP_LIFE, SHOP_LINK_INVALID, ShopStatus, ShopStep
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money

__all__ = ["PAYABLES", "SHOP_LINK_INVALID", "ShopAtScreens", "ShopLink", "get_due_of_linked_purchase"]


async def get_due_of_shop_purchase(call: Call, shop_purchase_id: int) -> DueOrder:
    """Return the amount due of a visible purchase; nothing once it has lapsed.

    Raises `NOT_FOUND`.
    """
    row = await get_purchase(call, shop_purchase_id)
    payable = SHOP_LIFE.next_status(ShopStep.PAY, ShopStatus(row.status)) and row.reserved_until > call.now
    return DueOrder(
        customer_id=row.customer_id, due=Money(row.shelf_price_minor if payable else 0, row.shelf_currency), family=None
    )


async def get_due_of_linked_purchase(call: Call, request: ShopLink) -> tuple[Call, int, DueOrder]:
    """Return the call for a link holder, with their purchase and its amount due.

    Raises `SHOP_LINK_INVALID`.
    """
    own, row = await open_link(call, request.link)
    return own, row.id, await get_due_of_shop_purchase(own, row.id)


async def pay_shop_purchase_by_card(call: Call, shop_purchase_id: int) -> None:
    """Pay a purchase from credit that a card payment has just added.

    Raises `SHOP_STEP_REFUSED`, `CREDIT_INSUFFICIENT`.
    """
    await pay_purchase(call, await get_purchase(call, shop_purchase_id, lock=True), CARD)


PAYABLES = {"shop_purchase": Payable(get_due_of_shop_purchase, pay_shop_purchase_by_card)}
"""Payable records, by the purpose of a payment."""
