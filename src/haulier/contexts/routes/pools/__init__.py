"""Planning pools: which orders a planner, the client's office or a contractor, may put on a route, and by which rules."""

from haulier.kernel.operations.enums import Area

AREA = Area.DISPATCH
