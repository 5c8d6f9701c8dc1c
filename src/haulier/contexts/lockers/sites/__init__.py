"""Locker sites: locations, opening hours, lockers and compartments."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMART_LOCKER
