"""Products and their barcodes."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
