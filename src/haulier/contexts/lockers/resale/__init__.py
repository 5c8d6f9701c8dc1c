"""Locker rentals: compartments that businesses rent for their own parcels."""

from haulier.kernel.operations.enums import Area, Module

AREA = Area.LOCKER_RESALE
MODULE = Module.LOCKER_COMMERCE
