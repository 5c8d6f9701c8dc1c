"""Interface of luggage bookings for other contexts."""

from haulier.contexts.billing.public import DueOrder, Payable
from haulier.contexts.lockers.luggage.actions.bookings import is_payable, pay_luggage
from haulier.contexts.lockers.luggage.contract import FAMILY
from haulier.contexts.lockers.luggage.queries import get_luggage, lock_luggage
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money

__all__ = ["PAYABLES"]


async def get_due_of_luggage(call: Call, luggage_id: int) -> DueOrder:
    """Return the amount due of a visible luggage booking. Raises `NOT_FOUND`."""
    row = await get_luggage(call, luggage_id)
    due = row.price_minor if is_payable(call, row) else 0
    return DueOrder(customer_id=row.customer_id, due=Money(due, row.currency), family=FAMILY)


async def pay_luggage_from_credit(call: Call, luggage_id: int) -> None:
    """Pay a luggage booking. Raises `LUGGAGE_STEP_REFUSED`, `CREDIT_INSUFFICIENT`."""
    row, _ = await lock_luggage(call, luggage_id)
    await pay_luggage(call, row)


PAYABLES = {"luggage": Payable(get_due_of_luggage, pay_luggage_from_credit)}
"""Payable records, by the purpose of a payment."""
