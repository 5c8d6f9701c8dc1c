"""Plan searches: long background searches for packing and load plans."""

from haulier.kernel.operations.enums import Area

AREA = Area.PACKING_PLANS
