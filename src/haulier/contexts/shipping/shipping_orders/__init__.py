"""Shipping orders: services that customers order, pay by credit, and follow."""

from haulier.kernel.operations.enums import Area

AREA = Area.CUSTOMER
