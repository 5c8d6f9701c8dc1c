"""Card payments of purchases at locker shops, by the holder of a link."""

from haulier.kernel.operations.enums import Area, Module

AREA = Area.BILLING
MODULE = Module.LOCKER_COMMERCE
