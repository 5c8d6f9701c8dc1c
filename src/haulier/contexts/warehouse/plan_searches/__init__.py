"""Plan searches: long searches for packing and load plans, which run in the background and show their best plan so far."""

from haulier.kernel.operations.enums import Area

AREA = Area.PACKING_PLANS
