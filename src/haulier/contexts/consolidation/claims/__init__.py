"""Claims on inbound parcels that arrived before they were announced."""

from haulier.kernel.operations.enums import Area

AREA = Area.CONSOLIDATION
