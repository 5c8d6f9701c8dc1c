"""Luggage relay: bags are dropped off, carried by van and collected elsewhere.

Places are lockers, hotels, airports and stations.
"""

from haulier.kernel.operations.enums import Area, Module

AREA = Area.LUGGAGE_RELAY
MODULE = Module.LOCKER_COMMERCE
