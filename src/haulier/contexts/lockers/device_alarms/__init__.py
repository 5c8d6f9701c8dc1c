"""Alarms of devices: one that fell silent, or whose battery runs low, until it is well again. People are told of both, once."""

from haulier.kernel.operations.enums import Area

AREA = Area.DEVICE_OPERATIONS
