"""Imports: products and stock from CSV and XLSX files, in the background, each row with an outcome of its own."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
