"""Shipping rules: ordered rules that choose how an order is shipped."""

from haulier.kernel.operations.enums import Area

AREA = Area.SHIPPING
