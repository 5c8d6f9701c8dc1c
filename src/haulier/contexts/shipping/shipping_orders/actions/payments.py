"""Shipping orders are paid from the customer's credit, all that is left or nothing, and given back when they are cancelled."""

from haulier.contexts.billing.public import DueOrder, MoneySubject, charge, give_back
from haulier.contexts.shipping.events import ShippingOrderChanged
from haulier.contexts.shipping.shipping_orders import store
from haulier.contexts.shipping.shipping_orders.queries import get_visible_shipping_order
from haulier.contexts.shipping.shipping_orders.rules.lifecycle import (
    SHIPPING_ORDER_PAID,
    SHIPPING_ORDER_STEP_REFUSED,
    ShippingOrderState,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.pipeline.hide_prices import require_price_visible
from haulier.kernel.values.money import Money


async def get_due_of_shipping_order(call: Call, id: int) -> DueOrder:
    """What is due of an order that the caller may see. Raises `NOT_FOUND`."""
    row = await get_visible_shipping_order(call, id)
    due = 0 if row.state == ShippingOrderState.CANCELLED else row.total_minor - row.paid_minor
    return DueOrder(customer_id=row.customer_id, due=Money(due, row.currency), family=PriceFamily(row.price_family))


async def pay_shipping_order_from_credit(call: Call, id: int) -> None:
    """Pay all that is left of an order from its customer's credit, and tell of it. Raises as `pay_order`."""
    row = await get_visible_shipping_order(call, id, lock=True)
    await pay_order(call, row)
    call.add_audit_subjects("shipping_order", row.id)
    await call.publish(ShippingOrderChanged(shipping_order_id=row.id, change="paid"))


async def pay_order(call: Call, row: store.ShippingOrderRow) -> None:
    """Take what is left to be paid of a locked order from its customer's credit.

    Raises `PRICE_HIDDEN`, `SHIPPING_ORDER_STEP_REFUSED` for a cancelled one, `SHIPPING_ORDER_PAID`, `CREDIT_INSUFFICIENT`.
    """
    family = PriceFamily(row.price_family)
    require_price_visible(call.principal.hidden_prices, family)
    if row.state == ShippingOrderState.CANCELLED:
        raise SHIPPING_ORDER_STEP_REFUSED(step="pay", state=row.state)
    if row.paid_minor == row.total_minor:
        raise SHIPPING_ORDER_PAID()
    balance = Money(row.total_minor - row.paid_minor, row.currency)
    subject = MoneySubject("shipping_order", row.id, family)
    posted = await charge(call, row.customer_id, balance, key=f"shipping_order:{row.id}:pay", subject=subject)
    paid = {"paid_minor": row.total_minor, "transfer_id": posted.transfer_id, "updated_at": call.now}
    await store.update_shipping_order_row(call.work, row.id, paid)


async def give_back_payment(call: Call, row: store.ShippingOrderRow) -> None:
    """Give back what refunds and credit notes left of the payment of an order."""
    if row.transfer_id is None:
        return
    await give_back(call, row.transfer_id, key=f"shipping_order:{row.id}:cancel")
    await store.update_shipping_order_row(call.work, row.id, {"paid_minor": 0})
