"""Files: uploaded pictures and PDFs, and access to them."""

from haulier.kernel.operations.enums import Area

AREA = Area.DOCUMENTS
