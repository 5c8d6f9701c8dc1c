"""Offers: single orders offered to drivers on duty until one accepts."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
