"""Visible products, orders and returns, and current prices."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.device_orders import store
from haulier.contexts.lockers.device_orders.contract import DeviceOrderItem
from haulier.contexts.lockers.device_orders.store import DeviceOrderRow, DeviceProductRow, DeviceReturnRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


class PricedItem(Struct, frozen=True):
    """A product, its quantity and its price."""

    product: DeviceProductRow
    quantity: int

    @property
    def amount_minor(self) -> int:
        """Return the price of the line."""
        return self.product.price_minor * self.quantity


async def get_visible_product(call: Call, product_code: str) -> DeviceProductRow:
    """Return a product. Customers see only active ones. Raises `NOT_FOUND`."""
    row = await store.get_product_row(call.work, product_code)
    if row is None or (is_customer(call) and not row.active):
        raise record_not_found(product_code=product_code)
    return row


async def price_items(call: Call, items: Sequence[DeviceOrderItem]) -> list[PricedItem]:
    """Return current prices by product code.

    Raises `NOT_FOUND` for a product that cannot be ordered.
    """
    found = {
        row.product_code: row for row in await store.list_products_by_code(call.work, [i.product_code for i in items])
    }
    for item in items:
        if item.product_code not in found or not found[item.product_code].active:
            raise record_not_found(product_code=item.product_code)
    priced = [PricedItem(found[item.product_code], item.quantity) for item in items]
    return sorted(priced, key=lambda item: item.product.product_code)


async def get_visible_device_order(call: Call, device_order_id: int, *, lock: bool = False) -> DeviceOrderRow:
    """Return an order. Customers see only their own. Raises `NOT_FOUND`."""
    row = await (DeviceOrderRow.lock if lock else DeviceOrderRow.get)(call.work, device_order_id)
    if row is None or (is_customer(call) and row.customer_id != call.actor):
        raise record_not_found(device_order_id=device_order_id)
    return row


async def get_visible_return(call: Call, device_return_id: int, *, lock: bool = False) -> DeviceReturnRow:
    """Return a device return. Customers see only their own. Raises `NOT_FOUND`."""
    row = await (DeviceReturnRow.lock if lock else DeviceReturnRow.get)(call.work, device_return_id)
    if row is None or (is_customer(call) and row.customer_id != call.actor):
        raise record_not_found(device_return_id=device_return_id)
    return row
