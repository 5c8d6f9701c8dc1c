"""Stock is taken and put back. Rows are locked in one order, and what is not there is taken by nobody."""

from collections import Counter
from collections.abc import Mapping, Sequence

from haulier.contexts.lockers.device_orders.rules import DEVICE_OUT_OF_STOCK
from haulier.contexts.lockers.device_orders.store import products as store
from haulier.contexts.lockers.device_orders.store.orders import DeviceLineRow
from haulier.contexts.lockers.device_orders.store.units import OrderedUnitRow
from haulier.kernel.call import Call


async def take_stock(call: Call, wanted: Mapping[int, int]) -> None:
    """Take so many of each product, by id, all of them or none. Raises `DEVICE_OUT_OF_STOCK`, which names the first."""
    for row in await store.lock_products(call.work, wanted):
        if row.stock < wanted[row.id]:
            raise DEVICE_OUT_OF_STOCK(product_code=row.product_code, wanted=wanted[row.id], stock=row.stock)
    await store.move_stock(call.work, {id: -pieces for id, pieces in wanted.items()})


async def put_back(call: Call, pieces: Mapping[int, int]) -> None:
    """Put so many of each product back into stock."""
    await store.lock_products(call.work, pieces)
    await store.move_stock(call.work, pieces)


def pieces_of_lines(lines: Sequence[DeviceLineRow]) -> dict[int, int]:
    """How many of each product an order is for."""
    return {line.product_id: line.quantity for line in lines}


def pieces_of_units(units: Sequence[OrderedUnitRow]) -> dict[int, int]:
    """How many of each product some devices are."""
    return dict(Counter(unit.product_id for unit in units))
