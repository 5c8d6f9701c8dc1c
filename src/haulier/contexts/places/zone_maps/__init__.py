"""Zone maps: layers of areas and lines with rules, drawn as a draft and published in versions."""

from haulier.kernel.operations.enums import Area

AREA = Area.CUSTOM_MAPS
