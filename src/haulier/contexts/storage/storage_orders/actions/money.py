"""The money of an order for storage: all that is due is paid from the customer's wallet, or nothing."""

from haulier.contexts.billing.public import MoneySubject, charge, give_back
from haulier.contexts.storage.storage_orders.contract.tariffs import STORAGE
from haulier.contexts.storage.storage_orders.rules.lifecycle import NOTHING_OWED, can_be_paid
from haulier.contexts.storage.storage_orders.store import orders as store
from haulier.contexts.storage.storage_orders.store.orders import StorageOrderRow
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money


async def pay_balance(call: Call, row: StorageOrderRow) -> None:
    """Take what is due from the wallet, once. The row must be locked. Raises `NOTHING_OWED`, `CREDIT_INSUFFICIENT`."""
    balance = row.owed_minor - row.paid_minor
    if not can_be_paid(row.status, balance):
        raise NOTHING_OWED()
    payment = row.payments + 1
    posted = await charge(
        call,
        row.customer_id,
        Money(balance, row.currency),
        key=f"storage_order:{row.id}:payment:{payment}",
        subject=MoneySubject("storage_order", row.id, STORAGE),
    )
    paid = {"paid_minor": row.owed_minor, "payments": payment, "transfer_id": posted.transfer_id}
    await store.update_order(call.work, row.id, paid)


async def give_payment_back(call: Call, row: StorageOrderRow) -> None:
    """Give back what was paid for an order that is cancelled. Before anything is stored, that is one payment at most."""
    if row.transfer_id is not None:
        await give_back(call, row.transfer_id, key=f"storage_order:{row.id}:refund")
