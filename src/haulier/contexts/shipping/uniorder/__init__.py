"""Uniorder: one order form over local delivery and every carrier."""

from haulier.kernel.operations.enums import Area

AREA = Area.SHIPPING
