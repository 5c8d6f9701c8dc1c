"""Locker rentals: compartments that businesses rent for their own parcels."""

from haulier.kernel.operations.enums import Area

AREA = Area.LOCKER_RESALE
