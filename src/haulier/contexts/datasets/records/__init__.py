"""Records of datasets: written, found, placed on the map, compared with what they were, and exported."""

from haulier.kernel.operations.enums import Area

AREA = Area.DATASET
