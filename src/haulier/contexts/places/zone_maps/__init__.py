"""Zone maps: layers of areas and lines with rules, published in versions."""

from haulier.kernel.operations.enums import Area

AREA = Area.CUSTOM_MAPS
