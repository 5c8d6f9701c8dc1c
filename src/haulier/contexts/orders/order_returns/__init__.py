"""Order returns: goods of delivered orders that come back."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
