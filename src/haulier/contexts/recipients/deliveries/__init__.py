"""Deliveries: what a recipient may see and choose of theirs, by a tracking number and a second proof."""

from haulier.kernel.operations.enums import Area

AREA = Area.TRACKING
