"""What an online payment can be for: what is due of an order, and how it is paid once the money is in the credit."""

from haulier.contexts.billing.public import DueOrder
from haulier.contexts.booking.public import get_due_of_no_show_fee, pay_no_show_fee_from_credit
from haulier.contexts.lockers.public import (
    get_due_of_device_order,
    get_due_of_lease,
    get_due_of_luggage,
    get_due_of_shop_purchase,
    pay_device_order_from_credit,
    pay_lease_from_credit,
    pay_luggage_from_credit,
    pay_shop_purchase_by_card,
)
from haulier.contexts.payments.online_payments.rules import PaymentPurpose
from haulier.contexts.payments.online_payments.store import PaymentRow
from haulier.contexts.shipping.public import get_due_of_shipping_order, pay_shipping_order_from_credit
from haulier.contexts.storage.public import (
    get_due_of_shipout,
    get_due_of_storage_order,
    pay_shipout_from_credit,
    pay_storage_order_from_credit,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError

_DUE = {
    PaymentPurpose.SHIPPING_ORDER: get_due_of_shipping_order,
    PaymentPurpose.STORAGE_ORDER: get_due_of_storage_order,
    PaymentPurpose.SHIPOUT: get_due_of_shipout,
    PaymentPurpose.DEVICE_ORDER: get_due_of_device_order,
    PaymentPurpose.LUGGAGE: get_due_of_luggage,
    PaymentPurpose.LOCKER_LEASE: get_due_of_lease,
    PaymentPurpose.SHOP_PURCHASE: get_due_of_shop_purchase,
    PaymentPurpose.NO_SHOW_FEE: get_due_of_no_show_fee,
}
_PAY = {
    PaymentPurpose.SHIPPING_ORDER: pay_shipping_order_from_credit,
    PaymentPurpose.STORAGE_ORDER: pay_storage_order_from_credit,
    PaymentPurpose.SHIPOUT: pay_shipout_from_credit,
    PaymentPurpose.DEVICE_ORDER: pay_device_order_from_credit,
    PaymentPurpose.LUGGAGE: pay_luggage_from_credit,
    PaymentPurpose.LOCKER_LEASE: pay_lease_from_credit,
    PaymentPurpose.SHOP_PURCHASE: pay_shop_purchase_by_card,
    PaymentPurpose.NO_SHOW_FEE: pay_no_show_fee_from_credit,
}


async def due_of_order(call: Call, purpose: PaymentPurpose, order_id: int) -> DueOrder:
    """What is due of an order that the caller may see. Raises `NOT_FOUND`."""
    return await _DUE[purpose](call, order_id)


async def pay_order_of(call: Call, row: PaymentRow) -> bool | None:
    """Pay the order of a payment from the credit that it has just made; None for a top-up.

    False where the order takes no payment any more, or the credit is too small by now: the money stays in the credit.
    """
    if row.subject_id is None:
        return None
    try:
        async with call.savepoint():
            await _PAY[PaymentPurpose(row.purpose)](call, row.subject_id)
    except OperationError:
        return False
    return True
