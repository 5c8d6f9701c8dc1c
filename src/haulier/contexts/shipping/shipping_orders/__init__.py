"""Shipping orders: customers order the services of a client, pay them from their credit, and follow them."""

from haulier.kernel.operations.enums import Area

AREA = Area.CUSTOMER
