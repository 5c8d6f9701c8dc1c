"""Public interface of booking.

Windows for an order without a customer's account, and fees of missed visits.
"""

from haulier.contexts.billing.public import DueOrder, Payable, ProductClass, price_with_tax
from haulier.contexts.booking.reservations.actions import (
    book_order_window,
    due_fee,
    pay_fee,
    publish_reservation,
    status_of,
)
from haulier.contexts.booking.reservations.contract import LOCAL
from haulier.contexts.booking.reservations.queries import FreeWindow, get_visible_reservation, list_free_windows
from haulier.contexts.booking.reservations.rules import (
    BOOKABLE_ORDER_STATUSES,
    ORDER_NOT_BOOKABLE,
    WINDOW_CLOSED,
    WINDOW_CUT_OFF,
    WINDOW_ELSEWHERE,
    WINDOW_FULL,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money

__all__ = [
    "BOOKABLE_ORDER_STATUSES",
    "ORDER_NOT_BOOKABLE",
    "PAYABLES",
    "WINDOW_CLOSED",
    "WINDOW_CUT_OFF",
    "WINDOW_ELSEWHERE",
    "WINDOW_FULL",
    "FreeWindow",
    "book_order_window",
    "list_free_windows",
]


async def get_due_of_no_show_fee(call: Call, reservation_id: int) -> DueOrder:
    """Return the amount due of a reservation's no-show fee.

    The caller must be able to see the reservation. Raises `NOT_FOUND`, also if no one has to pay it.
    """
    row = await get_visible_reservation(call, reservation_id)
    if row.customer_id is None:
        raise record_not_found(reservation_id=reservation_id)
    fee = Money(due_fee(row), call.business.currency)
    due = await price_with_tax(call, row.customer_id, fee, ProductClass.FEE)
    return DueOrder(customer_id=row.customer_id, due=due, family=LOCAL)


async def pay_no_show_fee_from_credit(call: Call, reservation_id: int) -> None:
    """Pay the fee of a missed visit and publish it.

    Raises `FEE_NOT_DUE`, `CREDIT_INSUFFICIENT`.
    """
    row = await get_visible_reservation(call, reservation_id, lock=True)
    await pay_fee(call, row)
    call.add_audit_subjects("reservation", row.id)
    await publish_reservation(call, row, status_of(row, call.now))


PAYABLES = {"no_show_fee": Payable(get_due_of_no_show_fee, pay_no_show_fee_from_credit)}
"""Payable records, by the purpose of a payment."""
