"""Vehicles of routes, with their capacity, cost and range."""

from haulier.kernel.operations.enums import Area

AREA = Area.FLEETS
