"""Locker Resale: boxes of a site are sold on for a time to businesses, who put their own parcels into them."""

from haulier.kernel.operations.enums import Area

AREA = Area.LOCKER_RESALE
