"""Online payments: credit that customers buy, and orders that they pay, through a provider."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
