"""Orders for storage that a caller may see."""

from haulier.contexts.storage.storage_orders.store.orders import StorageOrderRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found


async def get_visible_order(call: Call, storage_order_id: int, *, lock: bool = False) -> StorageOrderRow:
    """An order for storage; customers see their own. Raises `NOT_FOUND`."""
    row = await (StorageOrderRow.lock if lock else StorageOrderRow.get)(call.work, storage_order_id)
    if row is None or (call.principal.account is Account.CUSTOMER and row.customer_id != call.actor):
        raise record_not_found(storage_order_id=storage_order_id)
    return row
