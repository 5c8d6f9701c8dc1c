"""What a driver's app needs on opening: who they are, what they can do, how their papers stand."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER_INFO
