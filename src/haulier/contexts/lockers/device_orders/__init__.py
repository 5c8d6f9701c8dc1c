"""Device orders: customers order hardware, get it with serial numbers, put it into use, and send it back."""

from haulier.kernel.operations.enums import Area

AREA = Area.DEVICE_ORDERS
