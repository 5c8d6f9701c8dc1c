"""Stock reports: ABC analysis and stock age."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
