"""Shortages: reservations released because their stock is gone."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
