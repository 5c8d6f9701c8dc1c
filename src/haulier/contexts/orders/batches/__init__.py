"""Batches: many orders in one call, now or later."""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
