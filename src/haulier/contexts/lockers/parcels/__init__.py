"""Parcels in lockers: a box is reserved, filled, and emptied by whoever has the code or by the courier."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMART_LOCKER
