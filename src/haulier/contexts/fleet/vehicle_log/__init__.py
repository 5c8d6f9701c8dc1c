"""Log of a vehicle: odometer readings, services and repairs."""

from haulier.kernel.operations.enums import Area

AREA = Area.FLEETS
