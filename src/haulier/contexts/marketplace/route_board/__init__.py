"""The driver route board: routes that drivers take themselves, first come, first served. Other drivers can stand by."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER_ROUTE_BOARD
