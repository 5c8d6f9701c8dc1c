"""Luggage relay: bags are dropped off, carried by van and collected elsewhere.

Places are lockers, hotels, airports and stations.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.LUGGAGE_RELAY
