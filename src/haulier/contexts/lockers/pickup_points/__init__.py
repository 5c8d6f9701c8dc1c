"""Pickup points: counters (points of interest) and lockers."""

from haulier.kernel.operations.enums import Area

AREA = Area.POI
