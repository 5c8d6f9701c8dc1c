"""Inbound parcels: announced, under way, received, matched to their customers."""

from haulier.kernel.operations.enums import Area

AREA = Area.CONSOLIDATION
