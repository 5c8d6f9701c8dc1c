"""Drivers: who drives for the client or for a contractor, with what vehicle and which skills."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER
