"""Redelivery: orders that go out again, on which day, and how often."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
