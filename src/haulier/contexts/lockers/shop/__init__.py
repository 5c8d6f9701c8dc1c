"""Locker shop: products sold from compartments to customers, guests and visitors."""

from haulier.kernel.operations.enums import Area, Module

AREA = Area.LOCKER_SHOP
MODULE = Module.LOCKER_COMMERCE
