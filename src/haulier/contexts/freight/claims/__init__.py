"""Freight claims: loss, damage and other claims on freight shipments."""

from haulier.kernel.operations.enums import Area

AREA = Area.SHIPPING
