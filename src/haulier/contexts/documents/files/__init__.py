"""Files: pictures and PDFs that somebody handed in, and who may open them."""

from haulier.kernel.operations.enums import Area

AREA = Area.DOCUMENTS
