"""Locker stops: the driver's compartment opens, and stores the recipient's parcel."""

from haulier.kernel.operations.enums import Area, Module

AREA = Area.INSTANT_RIDER
MODULE = Module.LOCKERS
