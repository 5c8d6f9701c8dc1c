"""A driver's money: cash carried for the business, and earnings."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
