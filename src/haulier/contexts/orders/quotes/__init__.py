"""Quotes: what a local delivery would cost."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
