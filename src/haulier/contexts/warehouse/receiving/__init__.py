"""Receiving: what a supplier announced, what came of it, and where it is put away."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
