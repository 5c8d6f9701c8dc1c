"""Rules of the stock of orders."""

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from haulier.kernel.values.geography import LatLng

ORDER_STOCK_JOB = "warehouse.order_stock"
BACKORDER_JOB = "warehouse.backorders"
Quantities = Mapping[int, int]
"""Units by product."""


class ReserveOrders(Struct, frozen=True):
    """The job of reserving stock for orders.

    With `release`, their stock is released first; without `reserve`, that is all. `owner_id` handles what is short.
    """

    order_ids: list[int]
    release: bool = False
    reserve: bool = True
    owner_id: int | None = None


class FillBackorders(Struct, frozen=True):
    """The job of reserving available stock for backorders."""


class WarehousePlace(Struct, frozen=True):
    """A warehouse that orders can be picked from."""

    id: int
    place: LatLng | None


class StockPlan(Struct, frozen=True):
    """Units to reserve by warehouse and product, and units that are short."""

    reserve: dict[int, dict[int, int]]
    short: dict[int, int]


def by_distance(warehouses: Sequence[WarehousePlace], stop: LatLng | None) -> list[WarehousePlace]:
    """Return warehouses, nearest first; those without coordinates last."""
    return sorted(warehouses, key=lambda each: (_distance(each.place, stop), each.id))


def _distance(a: LatLng | None, b: LatLng | None) -> float:
    if a is None or b is None:
        return math.inf
    shrink = math.cos(math.radians((a[0] + b[0]) / 2))
    return math.hypot(a[0] - b[0], (a[1] - b[1]) * shrink)


def plan_order_stock(
    wanted: Quantities, available: Mapping[int, Quantities], nearest: Sequence[WarehousePlace]
) -> StockPlan:
    """Plan the nearest warehouse that has everything, else a split by distance."""
    needed = {product: units for product, units in wanted.items() if units > 0}
    for each in nearest:
        stock = available.get(each.id, {})
        if needed and all(stock.get(product, 0) >= units for product, units in needed.items()):
            return StockPlan({each.id: needed}, {})
    reserve: dict[int, dict[int, int]] = {}
    for each in nearest:
        stock = available.get(each.id, {})
        taken = {product: min(units, stock.get(product, 0)) for product, units in needed.items()}
        if found := {product: units for product, units in taken.items() if units > 0}:
            reserve[each.id] = found
            needed = {product: units - found.get(product, 0) for product, units in needed.items()}
    return StockPlan(reserve, {product: units for product, units in needed.items() if units > 0})
