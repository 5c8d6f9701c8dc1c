"""Records of datasets: writes, search, geocoding, versions, and exports."""

from haulier.kernel.operations.enums import Area

AREA = Area.DATASET
