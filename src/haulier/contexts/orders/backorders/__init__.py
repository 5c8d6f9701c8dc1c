"""Backorders: items of orders that wait for stock."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
