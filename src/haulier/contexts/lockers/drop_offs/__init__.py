"""Locker drop-offs: senders deposit parcels that couriers collect."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMART_LOCKER
