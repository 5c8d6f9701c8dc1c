"""When a screen rests, which cabinets are silent, and what couriers do."""

from datetime import timedelta
from enum import StrEnum

from haulier.contexts.lockers.devices.rules import DoorPurpose
from haulier.contexts.lockers.parcels.rules import IN_A_BOX, LockerStatus, LockerStep, ParcelKind
from haulier.kernel.operations.errors import declare_error

LOCKER_SCREEN_UNKNOWN = declare_error("locker_screen_unknown", 401)

COURIER_CODE_DIGITS = 10
"""More than a parcel's, so that neither is taken for the other."""
SILENT_AFTER = timedelta(minutes=5)
"""A device that said nothing for so long opens no door now."""
SEEN_EACH = timedelta(minutes=1)
"""So seldom it is written down that a screen asked."""
ERRANDS_MAX = 500


class ScreenOffer(StrEnum):
    """What can be done at a site: one tile of its screens each. A family that sells something there adds its own."""

    COLLECT = "collect"
    DROP_OFF = "drop_off"
    BUY = "buy"
    """From the shop, where it sells to whoever stands there."""
    COURIER = "courier"


ERRANDS = {
    LockerStep.DEPOSIT: DoorPurpose.DEPOSIT,
    LockerStep.REMOVE: DoorPurpose.RETRIEVE,
}


def errand_of(kind: str, status: str) -> LockerStep | None:
    """What a courier does with a parcel: puts it in, takes it out, or nothing."""
    if kind == ParcelKind.DROP_OFF:
        return LockerStep.REMOVE if status in IN_A_BOX else None
    if status == LockerStatus.RESERVED:
        return LockerStep.DEPOSIT
    return LockerStep.REMOVE if status == LockerStatus.EXPIRED else None
