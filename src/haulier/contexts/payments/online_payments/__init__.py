"""Online payments of credit and orders through a provider."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
