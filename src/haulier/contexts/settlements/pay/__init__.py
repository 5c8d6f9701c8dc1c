"""Pay of contractors and drivers: rates, earnings and weekly statements."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER
