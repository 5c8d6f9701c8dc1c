"""The audit trail: who did what, when, through which door, with which request, to which records."""

from haulier.kernel.operations.enums import Area

AREA = Area.AUDIT
