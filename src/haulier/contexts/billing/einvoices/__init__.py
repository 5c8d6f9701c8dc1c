"""Electronic invoices: UBL 2.1 by Peppol BIS Billing 3 (EN 16931)."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
