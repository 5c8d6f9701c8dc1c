"""What the operations on orders for storage have in common: their lists and their answers."""

from typing import Any

from haulier.contexts.storage.storage_orders.contract.orders import (
    ListStorageOrders,
    StorageOrderDetail,
    StorageOrderList,
)
from haulier.contexts.storage.storage_orders.serializers import order_detail, order_summary
from haulier.contexts.storage.storage_orders.store import orders as store
from haulier.contexts.storage.storage_orders.store.orders import StorageOrderRow
from haulier.contexts.storage.stored_packages.queries import count_packages_in_stock
from haulier.kernel.call import Call
from haulier.kernel.values.pagination import total_fields


async def list_orders(call: Call, request: ListStorageOrders, **own: Any) -> StorageOrderList:
    """A page of orders, newest first."""
    wanted = request.model_dump(include={"status", "order_ref", "customer_id"}, exclude_none=True) | own
    rows, counted = await store.list_order_rows(
        call.work,
        wanted,
        start_from=request.start_from,
        start_to=request.start_to,
        limit=request.per_page,
        offset=request.offset,
    )
    return StorageOrderList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        storage_orders=[order_summary(call, row) for row in rows],
    )


async def load_detail(call: Call, row: StorageOrderRow) -> StorageOrderDetail:
    """An order with all that is told of it."""
    charges = await store.list_charge_rows(call.work, row.id)
    return order_detail(call, row, charges, await count_packages_in_stock(call, row.id))
