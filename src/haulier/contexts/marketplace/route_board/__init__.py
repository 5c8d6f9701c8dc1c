"""Driver route board: drivers claim routes, first come, first served, or stand by."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER_ROUTE_BOARD
