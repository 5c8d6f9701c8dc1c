"""Sizes of boxes, and whether one can be used."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Any

from haulier.contexts.places.points_of_interest.rules.opening_hours import opening_periods
from haulier.kernel.operations.errors import declare_error

CABINET_CODE_TAKEN = declare_error("cabinet_code_taken", 409)
LOCKER_DEVICE_TAKEN = declare_error("locker_device_taken", 409)


class BoxSize(StrEnum):
    """How large a box is, the smallest first."""

    S = "s"
    M = "m"
    L = "l"
    XL = "xl"


SIZES = list(BoxSize)


def rank_of(size: str) -> int:
    """A size as a number: what fits into a box fits into one of a higher number."""
    return SIZES.index(BoxSize(size))


class BoxState(StrEnum):
    """Whether a box can be used."""

    READY = "ready"
    FAULTY = "faulty"
    """Its door did not do what it was told."""
    DISABLED = "disabled"
    """People took it out of use."""


def is_open_at(hours: Mapping[str, Any] | None, at: datetime, zone: tzinfo) -> bool:
    """Whether a site is open at a moment. One without hours always is."""
    if hours is None:
        return True
    second, day = int(at.timestamp()), at.astimezone(zone).date()
    # Why three days: the site may be in another time zone than the business, where it is another day.
    near = (day + timedelta(days=off) for off in (-1, 0, 1))
    return any(opens <= second < closes for each in near for opens, closes in opening_periods(hours, each, zone))


def times_open_on(hours: Mapping[str, Any] | None, day: date, zone: tzinfo) -> list[tuple[datetime, datetime]] | None:
    """When a site is open on a day, in a time zone. None for one without hours, which always is."""
    if hours is None:
        return None
    periods = opening_periods(hours, day, zone)
    return [(datetime.fromtimestamp(opens, zone), datetime.fromtimestamp(closes, zone)) for opens, closes in periods]
