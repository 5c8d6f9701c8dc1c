"""Positions: where devices say that drivers are."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
