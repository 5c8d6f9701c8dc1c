"""Stock that is reserved for the items of orders."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
