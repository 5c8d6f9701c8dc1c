"""Imports: documents of many places or zones, read in the background, each row with an outcome of its own."""

from haulier.kernel.operations.enums import Area

AREA = Area.POI
