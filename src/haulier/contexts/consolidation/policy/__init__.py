"""The policy: what a business does with parcels that nobody announced, and with those that nobody claims."""

from haulier.kernel.operations.enums import Area

AREA = Area.CONSOLIDATION
