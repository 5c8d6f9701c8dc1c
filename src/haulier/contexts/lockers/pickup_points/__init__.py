"""Where recipients can fetch parcels: counters, which are points of interest, and lockers."""

from haulier.kernel.operations.enums import Area

AREA = Area.POI
