"""Stops at lockers: the driver's box opens, and the parcel waits there for its recipient."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
