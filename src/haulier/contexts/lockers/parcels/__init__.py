"""Locker parcels: reserved, deposited, and collected with a code or by a courier."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMART_LOCKER
