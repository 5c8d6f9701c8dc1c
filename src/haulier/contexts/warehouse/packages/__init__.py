"""Packages: where each one is, and how it came there."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
