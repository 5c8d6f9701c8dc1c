"""What other contexts may use of lockers: which orders go into them, and their boxes for drivers."""

from haulier.contexts.lockers.deliveries.actions.drivers import open_box_of_order
from haulier.contexts.lockers.deliveries.actions.plans import LockersOfStops
from haulier.contexts.lockers.deliveries.queries import LockerDeliveryRow, get_locker_deliveries, lies_in_locker
from haulier.contexts.lockers.deliveries.rules import IfFull, LockerDeliveryStatus
from haulier.contexts.lockers.deliveries.serializers import delivery_record
from haulier.contexts.lockers.devices.serializers import command_record

__all__ = [
    "IfFull",
    "LockerDeliveryRow",
    "LockerDeliveryStatus",
    "LockersOfStops",
    "command_record",
    "delivery_record",
    "get_locker_deliveries",
    "lies_in_locker",
    "open_box_of_order",
]
