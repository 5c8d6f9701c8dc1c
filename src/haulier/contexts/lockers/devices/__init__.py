"""Devices: what they are, how they show who they are, and what they are asked to do."""

from haulier.kernel.operations.enums import Area

AREA = Area.DEVICE_OPERATIONS
