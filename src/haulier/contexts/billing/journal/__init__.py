"""Accounting journal of the ledger and of the taxes of invoices."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
