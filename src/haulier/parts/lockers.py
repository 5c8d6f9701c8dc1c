"""Lockers: connected devices, and stops at lockers."""

from haulier.api.devices.frames import Devices
from haulier.contexts.driver_app.locker_stops.queries import StoredLockerHandovers
from haulier.contexts.driver_app.ports import LockerHandovers
from haulier.contexts.lockers.public import LockerDevices, LockersOfOrders, LockersOfStops
from haulier.contexts.orders.ports import OrderLockers
from haulier.contexts.routes.ports import StopsAtLockers
from haulier.parts import Adapters, Part, Shared


def _adapters(_: Shared) -> Adapters:
    return {
        Devices: LockerDevices(),
        OrderLockers: LockersOfOrders(),
        StopsAtLockers: LockersOfStops(),
        LockerHandovers: StoredLockerHandovers(),
    }


PART = Part(adapters=_adapters)
