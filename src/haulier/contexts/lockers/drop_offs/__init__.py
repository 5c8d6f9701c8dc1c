"""Senders put a parcel into a locker, and a courier takes it out: orders that would be fetched from them, and returns."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMART_LOCKER
