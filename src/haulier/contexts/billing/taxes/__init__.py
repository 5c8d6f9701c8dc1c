"""Tax rates by jurisdiction and product class, and exemptions of customers."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
