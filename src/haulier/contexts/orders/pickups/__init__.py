"""Orders that customers collect themselves at a depot."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
