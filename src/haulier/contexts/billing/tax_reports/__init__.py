"""Sums of the taxes of invoices and credit notes by period."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
