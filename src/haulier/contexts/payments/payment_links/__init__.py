"""Payment links: pay luggage, a locker rental or a fee by card without an account."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
