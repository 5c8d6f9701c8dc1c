"""Plan searches: long background searches for packing and load plans."""

from haulier.kernel.operations.enums import Area, Module

AREA = Area.PACKING_PLANS
MODULE = Module.PACKING
