"""Device frames: registration, state, commands and outcomes."""

from haulier.kernel.operations.enums import Area

AREA = Area.DEVICE_OPERATIONS
