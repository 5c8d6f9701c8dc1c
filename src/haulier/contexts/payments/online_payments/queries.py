"""Online payments that a caller may see."""

from haulier.contexts.payments.online_payments import store
from haulier.contexts.payments.online_payments.contract import PaymentDetail
from haulier.contexts.payments.online_payments.rules import PaymentPurpose
from haulier.contexts.payments.online_payments.serializers import payment_detail
from haulier.contexts.payments.online_payments.store import PaymentRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found


async def get_visible_payment(call: Call, payment_id: int, *, lock: bool = False) -> PaymentRow:
    """Return a payment; customers see their own. Raises `NOT_FOUND`."""
    row = await store.get_payment_row(call.work, payment_id, lock=lock)
    if row is None or (call.principal.account is Account.CUSTOMER and row.customer_id != call.actor):
        raise record_not_found(payment_id=payment_id)
    return row


async def is_paid_online(call: Call, purpose: PaymentPurpose, subject_id: int) -> bool:
    """Return True if an online payment has paid an order."""
    return await store.find_paid_payment(call.work, purpose.value, subject_id) is not None


async def load_payment(call: Call, payment_id: int) -> PaymentDetail:
    """Return a payment as it is now. Raises `NOT_FOUND`."""
    row = await get_visible_payment(call, payment_id)
    refunds = await store.list_refund_rows(call.work, [row.id])
    return payment_detail(call, row, refunds, await store.list_dispute_rows(call.work, [row.id]))
