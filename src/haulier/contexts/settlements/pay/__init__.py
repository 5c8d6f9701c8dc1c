"""Pay: rates of contractors and drivers, what they earn by them, and a statement for each week."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER
