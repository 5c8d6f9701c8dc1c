"""Public interface of warehouses."""

from collections.abc import Collection

from haulier.contexts.warehouse.load_plans.queries import get_vehicle_bodies
from haulier.contexts.warehouse.shortages.queries import count_stock_shortages
from haulier.contexts.warehouse.stock.actions import load_locations
from haulier.contexts.warehouse.stock.errors import LOCATION_NOT_USABLE
from haulier.contexts.warehouse.warehouses.queries import get_warehouse_rows, list_open_warehouses
from haulier.kernel.call import Call
from haulier.solvers.loading.problem import LoadSpace

__all__ = [
    "LOCATION_NOT_USABLE",
    "InsidesOfVehicles",
    "ShortagesOfStock",
    "get_warehouse_rows",
    "list_open_warehouses",
    "load_locations",
]


class InsidesOfVehicles:
    """Implements the port `VehicleBodies` of planning."""

    async def get(self, call: Call, vehicle_ids: Collection[int]) -> dict[int, LoadSpace]:
        """The insides of vehicles whose insides are known, by the id of the vehicle."""
        return await get_vehicle_bodies(call, vehicle_ids)


class ShortagesOfStock:
    """Implements the port `StockShortages` of the control tower."""

    async def count(self, call: Call) -> int:
        """Count the products that are short."""
        return await count_stock_shortages(call)
