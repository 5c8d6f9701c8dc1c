"""Lockers with the use of their compartments, now and by day."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMART_LOCKER
