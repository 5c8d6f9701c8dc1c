"""Load plans: what goes where in vehicles, containers and on pallets, and in which order, so that each stop can be unloaded."""

from haulier.kernel.operations.enums import Area

AREA = Area.LOADING_PLANNER
