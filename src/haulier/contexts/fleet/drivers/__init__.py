"""Drivers of the client and its contractors, with their vehicle and skills."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER
