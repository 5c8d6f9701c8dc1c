"""Device alarms: silent devices and low batteries, each reported once."""

from haulier.kernel.operations.enums import Area

AREA = Area.DEVICE_OPERATIONS
