"""Products: what is kept, and by which barcodes people and scanners know it."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
