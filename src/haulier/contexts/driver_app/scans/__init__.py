"""Scans: parcels that a driver scanned on a route."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
