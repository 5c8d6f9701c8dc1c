"""Screens at sites, on which people type their code, and the codes with which couriers sign in there."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMART_LOCKER
