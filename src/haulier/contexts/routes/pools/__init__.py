"""Planning pools: orders that staff or a contractor may put on a route, and rules."""

from haulier.kernel.operations.enums import Area

AREA = Area.DISPATCH
