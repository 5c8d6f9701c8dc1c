"""Locker deliveries: orders that go to a locker instead of an address."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMART_LOCKER
