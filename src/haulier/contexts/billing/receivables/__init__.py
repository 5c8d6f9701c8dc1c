"""Receivables: open invoices by customer and age."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
