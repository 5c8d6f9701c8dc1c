"""What a client's own fields are: for which records, of which type, who sees and writes them."""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
