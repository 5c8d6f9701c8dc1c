"""Invoices of customers who pay later: what they were charged in a period, and letters to those who do not pay."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
