"""Invoices and reminders of customers who pay later."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
