"""Interface of lockers for other contexts."""

from haulier.contexts.lockers.deliveries.actions import LockersOfStops, make_deposit_code, open_box_of_order
from haulier.contexts.lockers.deliveries.queries import (
    LockerDeliveryRow,
    LockersOfOrders,
    find_last_door,
    get_locker_deliveries,
    was_put_in_locker,
)
from haulier.contexts.lockers.deliveries.rules import IfFull, LockerDeliveryStatus
from haulier.contexts.lockers.deliveries.serializers import delivery_record
from haulier.contexts.lockers.device_api.actions import LockerDevices
from haulier.contexts.lockers.devices.queries import DeviceCommandRow
from haulier.contexts.lockers.devices.serializers import command_record

__all__ = [
    "DeviceCommandRow",
    "IfFull",
    "LockerDeliveryRow",
    "LockerDeliveryStatus",
    "LockerDevices",
    "LockersOfOrders",
    "LockersOfStops",
    "command_record",
    "delivery_record",
    "find_last_door",
    "get_locker_deliveries",
    "make_deposit_code",
    "open_box_of_order",
    "was_put_in_locker",
]
