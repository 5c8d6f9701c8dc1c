"""Locker storage: a read-only view of items in lockers, for their owners."""

from haulier.kernel.operations.enums import Area

AREA = Area.LOCKER_STORAGE
