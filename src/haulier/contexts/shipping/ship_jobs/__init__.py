"""Ship jobs: many orders shipped in the background."""

from haulier.kernel.operations.enums import Area

AREA = Area.SHIPPING
