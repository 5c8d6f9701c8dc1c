"""Places of orders: coordinates for orders that came without, and the queue of those that a person must place."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
