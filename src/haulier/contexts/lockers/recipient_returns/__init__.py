"""Returns that recipients begin themselves, once a parcel of theirs was delivered: handed in at a locker, or picked up."""

from haulier.kernel.operations.enums import Area

AREA = Area.TRACKING
