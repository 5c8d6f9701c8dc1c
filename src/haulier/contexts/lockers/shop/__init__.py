"""Locker shop: products sold from compartments to customers, guests and visitors."""

from haulier.kernel.operations.enums import Area

AREA = Area.LOCKER_SHOP
