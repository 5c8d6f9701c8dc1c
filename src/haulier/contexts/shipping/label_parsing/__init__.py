"""Label scanning: photos or PDFs of labels are parsed and become orders."""

from haulier.kernel.operations.enums import Area

AREA = Area.OCR
