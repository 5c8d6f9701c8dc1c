"""Map regions: map, addresses and roads of an area, installed from one file."""

from haulier.kernel.operations.enums import Area

AREA = Area.CUSTOM_MAPS
