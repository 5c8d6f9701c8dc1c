"""Receiving: announced goods, received goods, and put-away."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
