"""Stock: movements that are written once, the levels that follow from them, and what is reserved."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
