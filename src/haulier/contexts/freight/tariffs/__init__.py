"""Freight tariff: prices of freight shipments by class, weight and zone."""

from haulier.kernel.operations.enums import Area

AREA = Area.SHIPPING
