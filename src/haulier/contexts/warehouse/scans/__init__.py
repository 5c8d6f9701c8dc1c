"""Scans from handheld scanners, each recorded once."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE_MOBILE
