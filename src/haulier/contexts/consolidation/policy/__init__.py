"""Policy for unannounced and unclaimed parcels."""

from haulier.kernel.operations.enums import Area

AREA = Area.CONSOLIDATION
