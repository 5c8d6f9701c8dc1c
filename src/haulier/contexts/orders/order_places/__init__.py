"""Order locations: coordinates of new orders, and the queue of unlocated ones."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
