"""Devices: hardware, its credentials, commands and firmware."""

from haulier.kernel.operations.enums import Area

AREA = Area.DEVICE_OPERATIONS
