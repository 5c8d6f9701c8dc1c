"""Stock counts: staff count locations, and approved differences are posted."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
