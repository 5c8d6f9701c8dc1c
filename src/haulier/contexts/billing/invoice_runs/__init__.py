"""Invoice runs: invoices of all customers of a billing cycle."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
