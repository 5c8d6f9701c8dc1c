"""Audit trail: user, time, interface, request and records of every write."""

from haulier.kernel.operations.enums import Area

AREA = Area.AUDIT
