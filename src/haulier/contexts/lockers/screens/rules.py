"""Lockout of screens, silent lockers and courier tasks."""

from datetime import timedelta
from enum import StrEnum

from haulier.contexts.lockers.devices.rules import DoorPurpose
from haulier.contexts.lockers.parcels.rules import IN_A_BOX, LockerStatus, LockerStep, ParcelKind
from haulier.kernel.operations.errors import declare_error

LOCKER_SCREEN_UNKNOWN = declare_error("locker_screen_unknown", 401)

COURIER_CODE_DIGITS = 10
"""Longer than the codes of parcels, to tell them apart."""
SILENT_AFTER = timedelta(minutes=5)
"""Silence after which a device opens no doors."""
SEEN_EACH = timedelta(minutes=1)
"""Minimum interval between recorded requests of a screen."""
ERRANDS_MAX = 500


class ScreenOffer(StrEnum):
    """Action of a screen, one tile each. Other families can add their own."""

    COLLECT = "collect"
    DROP_OFF = "drop_off"
    BUY = "buy"
    """Buy from the shop, if it sells to visitors."""
    COURIER = "courier"


ERRANDS = {
    LockerStep.DEPOSIT: DoorPurpose.DEPOSIT,
    LockerStep.REMOVE: DoorPurpose.RETRIEVE,
}


def errand_of(kind: str, status: str) -> LockerStep | None:
    """Return the courier's task for a parcel: deposit, retrieve or None."""
    if kind == ParcelKind.DROP_OFF:
        return LockerStep.REMOVE if status in IN_A_BOX else None
    if status == LockerStatus.RESERVED:
        return LockerStep.DEPOSIT
    return LockerStep.REMOVE if status == LockerStatus.EXPIRED else None
