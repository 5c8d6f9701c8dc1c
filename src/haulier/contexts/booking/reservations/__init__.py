"""Reservations of delivery windows with limited capacity per zone and day.

A hold takes a place until it expires. A confirmed reservation sets the window of its order. Capacity is checked
while the window's row is locked, so that a window is never overbooked.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.RESERVATIONS
