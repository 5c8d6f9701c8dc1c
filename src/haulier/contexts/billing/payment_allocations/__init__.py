"""Received payments, and their allocation to invoices."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
