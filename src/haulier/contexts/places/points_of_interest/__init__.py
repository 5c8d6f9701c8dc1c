"""Points of interest: places with hours and notes of their own, such as customers' docks, pickup points and lockers."""

from haulier.kernel.operations.enums import Area

AREA = Area.POI
