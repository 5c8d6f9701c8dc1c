"""Depots: where routes begin and end, and where parcels wait."""

from haulier.kernel.operations.enums import Area

AREA = Area.DISPATCH
