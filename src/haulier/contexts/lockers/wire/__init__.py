"""What devices send and get over HTTP: they register, say how they are, ask what to do, and say what became of it."""

from haulier.kernel.operations.enums import Area

AREA = Area.DEVICE_OPERATIONS
