"""Services sold to customers: forms, prices and quotes."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
