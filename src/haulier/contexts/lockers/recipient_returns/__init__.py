"""Recipients' returns of delivered parcels, by locker or pickup."""

from haulier.kernel.operations.enums import Area

AREA = Area.TRACKING
