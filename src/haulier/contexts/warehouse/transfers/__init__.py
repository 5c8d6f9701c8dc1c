"""Transfers: batches of packages that came to the wrong warehouse go to the right one."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE_TRANSFER
