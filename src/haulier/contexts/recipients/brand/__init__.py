"""Brand: how a business shows itself to recipients, and whom they ask."""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
