"""Locker storage: what is stored in lockers, for whoever it belongs to. It only reads."""

from haulier.kernel.operations.enums import Area

AREA = Area.LOCKER_STORAGE
