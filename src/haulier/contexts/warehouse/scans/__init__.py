"""Scans: what handheld scanners saw, one call a scan, each once however often it is sent."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE_MOBILE
