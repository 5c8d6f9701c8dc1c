"""Answer shared by the operations on device orders."""

from haulier.contexts.lockers.device_orders.contract.orders import DeviceOrderAnswer
from haulier.contexts.lockers.device_orders.serializers import device_order_detail
from haulier.contexts.lockers.device_orders.store import orders as store
from haulier.contexts.lockers.device_orders.store import units as unit_store
from haulier.contexts.lockers.device_orders.store.tables import DeviceOrderRow
from haulier.kernel.call import Call


async def answer_with(call: Call, row: DeviceOrderRow) -> DeviceOrderAnswer:
    """Return an order with its lines and shipped devices."""
    lines = await store.list_line_rows(call.work, row.id)
    units = await unit_store.list_units(call.work, row.id)
    return DeviceOrderAnswer(device_order=device_order_detail(call, row, lines, units))
