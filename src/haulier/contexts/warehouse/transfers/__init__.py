"""Transfers: batches of misrouted packages on their way to another warehouse."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE_TRANSFER
