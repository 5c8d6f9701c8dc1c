"""Audit trail: who did what to an order."""

from haulier.kernel.operations.enums import Area

AREA = Area.AUDIT
