"""One time-ordered timeline per tracking number."""

from haulier.kernel.operations.enums import Area

AREA = Area.TRACKING
