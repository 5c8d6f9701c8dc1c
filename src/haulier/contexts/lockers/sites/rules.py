"""Sizes and states of compartments."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Any

from haulier.contexts.places.points_of_interest.rules import opening_periods
from haulier.kernel.operations.errors import declare_error

CABINET_CODE_TAKEN = declare_error("cabinet_code_taken", 409)
LOCKER_DEVICE_TAKEN = declare_error("locker_device_taken", 409)


class BoxSize(StrEnum):
    """Size of a compartment, in ascending order."""

    S = "s"
    M = "m"
    L = "l"
    XL = "xl"


SIZES = list(BoxSize)


def rank_of(size: str) -> int:
    """Return the rank of a size. Larger compartments have a higher rank."""
    return SIZES.index(BoxSize(size))


class BoxState(StrEnum):
    """State of a compartment."""

    READY = "ready"
    FAULTY = "faulty"
    """The door did not follow a command."""
    DISABLED = "disabled"
    """Taken out of use by staff."""


class BoxUse(StrEnum):
    """Use of a compartment."""

    FREE = "free"
    RENTED = "rented"
    """Rented, without a parcel."""
    RESERVED = "reserved"
    OCCUPIED = "occupied"
    OVERDUE = "overdue"
    """With a parcel whose pickup time is over."""
    FAULTY = "faulty"
    DISABLED = "disabled"


_USES = {"reserved": BoxUse.RESERVED, "expired": BoxUse.OVERDUE}
"""Uses by the status of the parcel. Other parcels are inside."""


def use_of(state: str, parcel_status: str | None, *, leased: bool) -> BoxUse:
    """Return the use of a compartment."""
    if state != BoxState.READY:
        return BoxUse(state)
    if parcel_status is not None:
        return _USES.get(parcel_status, BoxUse.OCCUPIED)
    return BoxUse.RENTED if leased else BoxUse.FREE


def is_open_at(hours: Mapping[str, Any] | None, at: datetime, zone: tzinfo) -> bool:
    """Return True if a site is open at a time. Sites without hours are always open."""
    if hours is None:
        return True
    second, day = int(at.timestamp()), at.astimezone(zone).date()
    # Three days: the site's time zone may have a different date than the business's.
    near = (day + timedelta(days=off) for off in (-1, 0, 1))
    return any(opens <= second < closes for each in near for opens, closes in opening_periods(hours, each, zone))


def times_open_on(hours: Mapping[str, Any] | None, day: date, zone: tzinfo) -> list[tuple[datetime, datetime]] | None:
    """Return the opening times on a day, or None if always open."""
    if hours is None:
        return None
    periods = opening_periods(hours, day, zone)
    return [(datetime.fromtimestamp(opens, zone), datetime.fromtimestamp(closes, zone)) for opens, closes in periods]
