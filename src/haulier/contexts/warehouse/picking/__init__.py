"""Picking: reserved stock is picked in walking order, packed, and shipped."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
