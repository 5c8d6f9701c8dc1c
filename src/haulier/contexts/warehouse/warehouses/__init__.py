"""Warehouses, and the locations in them."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
