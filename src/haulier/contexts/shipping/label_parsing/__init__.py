"""Label parsing: a photo or a PDF of a label is read into fields, and an order is made of it."""

from haulier.kernel.operations.enums import Area

AREA = Area.OCR
