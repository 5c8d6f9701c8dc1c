"""Reservations: delivery windows with a capacity, per zone and day, that customers hold, confirm, move and cancel.

A hold takes a place until it expires; a confirmed reservation gives its order the window. What a window has left is decided
while its row is locked, so that it is never promised to more than it takes.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.RESERVATIONS
