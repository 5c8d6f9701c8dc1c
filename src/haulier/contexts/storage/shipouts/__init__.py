"""Ship-outs: orders of customers to send packages from stock."""

from haulier.kernel.operations.enums import Area

AREA = Area.CUSTOMER
