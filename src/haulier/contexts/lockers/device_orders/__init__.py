"""Device orders: hardware that customers buy, activate and return."""

from haulier.kernel.operations.enums import Area, Module

AREA = Area.DEVICE_ORDERS
MODULE = Module.LOCKER_COMMERCE
