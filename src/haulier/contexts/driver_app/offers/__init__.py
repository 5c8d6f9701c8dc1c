"""Offers: single orders that are offered to drivers on duty, one after the other, until somebody accepts."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
