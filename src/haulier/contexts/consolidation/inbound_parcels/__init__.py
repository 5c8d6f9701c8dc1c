"""Inbound parcels: announced, in transit, received, and matched to customers."""

from haulier.kernel.operations.enums import Area

AREA = Area.CONSOLIDATION
