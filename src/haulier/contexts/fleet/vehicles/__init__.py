"""Fleets: the vehicles that routes are driven with, what they hold, what they cost and how far they may go."""

from haulier.kernel.operations.enums import Area

AREA = Area.FLEETS
