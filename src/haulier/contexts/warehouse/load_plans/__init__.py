"""Load plans: placement and loading order in vehicles, containers and pallets."""

from haulier.kernel.operations.enums import Area, Module

AREA = Area.LOADING_PLANNER
MODULE = Module.PACKING
