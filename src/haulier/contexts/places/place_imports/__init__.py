"""Imports of many places or zones in the background, with an outcome for each row."""

from haulier.kernel.operations.enums import Area

AREA = Area.POI
