"""Picking: what is reserved is fetched in walking order, packed, and shipped."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
