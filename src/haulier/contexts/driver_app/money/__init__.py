"""A driver's own money: the cash that they carry for the business, and what they have earned."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
