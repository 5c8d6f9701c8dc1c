"""What a driver's app needs on opening: who they are, their skills, the status of their documents."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER_INFO
