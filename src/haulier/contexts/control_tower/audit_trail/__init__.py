"""Audit timeline of an order."""

from haulier.kernel.operations.enums import Area

AREA = Area.AUDIT
