"""Stock: movements, levels and reservations."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
