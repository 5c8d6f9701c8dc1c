"""Legal names, addresses and tax numbers of the business and its customers."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
