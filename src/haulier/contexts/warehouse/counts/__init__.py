"""Counts: people count what stands there, and differences are posted once somebody approves them."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
