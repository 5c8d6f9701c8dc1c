"""Live maps: recipients see their driver on the way to them."""

from haulier.kernel.operations.enums import Area

AREA = Area.TRACKING
