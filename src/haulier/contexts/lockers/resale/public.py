"""Interface of locker rentals for other contexts."""

from haulier.contexts.billing.public import DueOrder, Payable, ProductClass, price_with_tax
from haulier.contexts.lockers.resale.actions import is_lease_payable, pay_lease
from haulier.contexts.lockers.resale.contract import LEASES
from haulier.contexts.lockers.resale.queries import get_visible_lease
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money

__all__ = ["PAYABLES"]


async def get_due_of_lease(call: Call, locker_lease_id: int) -> DueOrder:
    """Return the amount due of a visible rental; nothing after its reservation.

    Raises `NOT_FOUND`.
    """
    row = await get_visible_lease(call, locker_lease_id)
    due = row.price_minor if is_lease_payable(call, row) else 0
    taxed = await price_with_tax(call, row.customer_id, Money(due, row.currency), ProductClass.RENTAL)
    return DueOrder(customer_id=row.customer_id, due=taxed, family=LEASES)


async def pay_lease_from_credit(call: Call, locker_lease_id: int) -> None:
    """Pay a rental and start its term.

    Raises `LEASE_STEP_REFUSED`, `CREDIT_INSUFFICIENT`.
    """
    await pay_lease(call, await get_visible_lease(call, locker_lease_id, lock=True))


PAYABLES = {"locker_lease": Payable(get_due_of_lease, pay_lease_from_credit)}
"""Payable records, by the purpose of a payment."""
