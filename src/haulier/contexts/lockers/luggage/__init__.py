"""Luggage relay: bags are handed in at a locker, hotel, airport or station, carried by van, and handed out elsewhere."""

from haulier.kernel.operations.enums import Area

AREA = Area.LUGGAGE_RELAY
