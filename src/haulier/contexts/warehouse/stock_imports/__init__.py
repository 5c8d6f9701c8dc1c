"""Stock imports: products and stock from CSV and XLSX files in the background."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
