"""Freight shipments: handling units that a freight carrier moves."""

from haulier.kernel.operations.enums import Area

AREA = Area.SHIPPING
