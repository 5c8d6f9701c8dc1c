"""Documents of vehicles: registration, insurance, inspection and others."""

from haulier.kernel.operations.enums import Area

AREA = Area.FLEETS
