"""Locker stops: the driver's compartment opens, and stores the recipient's parcel."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
