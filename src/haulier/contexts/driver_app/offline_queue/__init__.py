"""Offline queue: events recorded offline, sent later and applied once."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
