"""Warehouses, locations and vehicle interiors for other contexts."""

from haulier.contexts.warehouse.load_plans.queries import get_vehicle_bodies
from haulier.contexts.warehouse.shortages.queries import count_stock_shortages
from haulier.contexts.warehouse.stock.actions import load_locations
from haulier.contexts.warehouse.stock.errors import LOCATION_NOT_USABLE
from haulier.contexts.warehouse.warehouses.queries import get_warehouse_rows, list_open_warehouses

__all__ = [
    "LOCATION_NOT_USABLE",
    "count_stock_shortages",
    "get_vehicle_bodies",
    "get_warehouse_rows",
    "list_open_warehouses",
    "load_locations",
]
