"""Payment links: whoever has one pays a booking of luggage or a lease of boxes by card, without an account."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
