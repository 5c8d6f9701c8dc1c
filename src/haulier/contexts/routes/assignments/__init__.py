"""Assignments: orders held by a contractor, who alone may plan them.

Until the assignment is revoked or released.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.BROKER_ORDER_ASSIGNMENTS
