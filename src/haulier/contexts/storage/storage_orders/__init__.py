"""Storage orders: price over time, received packages, and payments."""

from haulier.kernel.operations.enums import Area

AREA = Area.CUSTOMER
