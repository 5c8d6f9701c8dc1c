"""Device orders: hardware that customers buy, activate and return."""

from haulier.kernel.operations.enums import Area

AREA = Area.DEVICE_ORDERS
