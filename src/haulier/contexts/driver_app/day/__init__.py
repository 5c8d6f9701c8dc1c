"""The driver's day: today's routes with their stops, accepted or declined."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
