"""Changes of stock.

Rows are always locked in the same order, and stock never becomes negative.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from haulier.contexts.lockers.device_orders.rules import DEVICE_OUT_OF_STOCK
from haulier.contexts.lockers.device_orders.store import products as store
from haulier.contexts.lockers.device_orders.store.tables import DeviceLineRow, OrderedUnitRow
from haulier.kernel.call import Call


async def take_stock(call: Call, wanted: Mapping[int, int]) -> None:
    """Deduct quantities by product id, all or nothing.

    Raises `DEVICE_OUT_OF_STOCK` for the first that is short.
    """
    for row in await store.lock_products(call.work, wanted):
        if row.stock < wanted[row.id]:
            raise DEVICE_OUT_OF_STOCK(product_code=row.product_code, wanted=wanted[row.id], stock=row.stock)
    await store.move_stock(call.work, {id: -pieces for id, pieces in wanted.items()})


async def put_back(call: Call, pieces: Mapping[int, int]) -> None:
    """Add quantities to the stock of products."""
    await store.lock_products(call.work, pieces)
    await store.move_stock(call.work, pieces)


def pieces_of_lines(lines: Sequence[DeviceLineRow]) -> dict[int, int]:
    """Return the ordered quantity of each product."""
    return {line.product_id: line.quantity for line in lines}


def pieces_of_units(units: Sequence[OrderedUnitRow]) -> dict[int, int]:
    """Return the number of devices of each product."""
    return dict(Counter(unit.product_id for unit in units))
