"""Zones, windows that patterns make, and what may be done with a reservation."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from msgspec import Struct

from haulier.kernel.errors import Refusal, problem

WINDOW_CLOSED = problem("booking_window_closed", 409)
WINDOW_CUT_OFF = problem("booking_window_cut_off", 409)
WINDOW_FULL = problem("booking_window_full", 409)
WINDOW_EXISTS = problem("booking_window_exists", 409)
WINDOW_ELSEWHERE = problem("booking_window_elsewhere", 409)
CAPACITY_BELOW_TAKEN = problem("booking_capacity_below_taken", 409)
ZONE_NAME_TAKEN = problem("booking_zone_name_taken", 409)
HOLD_EXPIRED = problem("reservation_hold_expired", 409)
RESERVATION_OVER = problem("reservation_over", 409)
RESERVATION_CONFIRMED = problem("reservation_confirmed", 409)
ORDER_RESERVED = problem("reservation_order_taken", 409)
ORDER_NOT_BOOKABLE = problem("reservation_order_not_bookable", 409)
TOO_MANY_HOLDS = problem("reservation_too_many_holds", 409)

HOLDS_MAX = 5
"""So many places a customer holds at once, so that nobody keeps a whole day from the others."""
MOVABLE = frozenset({"NEW_ORDER", "HOLD", "FAILED"})
"""Orders whose window can still be set: they stand on no route."""


class ReservationStatus(StrEnum):
    """Where a reservation stands. `expired` follows from the time; an errand writes it down later."""

    HELD = "held"
    CONFIRMED = "confirmed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class BookingWindow(Struct, frozen=True, kw_only=True):
    """What the rules need to know of a window. `taken` counts confirmed reservations and holds that have not expired."""

    capacity: int
    taken: int
    cut_off_at: datetime
    closed: bool = False


class Pattern(Struct, frozen=True, kw_only=True):
    """Windows that come back every week. Weekdays are ISO 8601's, 1 is Monday."""

    weekdays: frozenset[int]
    starts: time
    ends: time
    cut_off_min: int
    first_day: date
    last_day: date | None = None


def why_not_take(window: BookingWindow, now: datetime) -> Refusal | None:
    """Why nobody can take a place in a window now, or None."""
    if window.closed:
        return WINDOW_CLOSED()
    if now >= window.cut_off_at:
        return WINDOW_CUT_OFF()
    return WINDOW_FULL() if window.taken >= window.capacity else None


def status_now(confirmed: bool, outcome: str | None, expires_at: datetime, now: datetime) -> ReservationStatus:
    """Where a reservation stands."""
    if outcome is not None:
        return ReservationStatus(outcome)
    if confirmed:
        return ReservationStatus.CONFIRMED
    return ReservationStatus.EXPIRED if now >= expires_at else ReservationStatus.HELD


def why_not_touch(status: ReservationStatus) -> Refusal | None:
    """Why a reservation can be neither moved nor confirmed nor cancelled, or None."""
    if status is ReservationStatus.EXPIRED:
        return HOLD_EXPIRED()
    return RESERVATION_OVER() if status is ReservationStatus.CANCELLED else None


def days(pattern: Pattern, first: date, last: date) -> Iterator[date]:
    """The days between two, both included, on which a pattern makes a window."""
    day = max(first, pattern.first_day)
    end = last if pattern.last_day is None else min(last, pattern.last_day)
    while day <= end:
        if day.isoweekday() in pattern.weekdays:
            yield day
        day += timedelta(days=1)


def moments(day: date, starts: time, ends: time, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """When a window begins and ends, by the clock on the wall of the business on that day."""
    return datetime.combine(day, starts, zone), datetime.combine(day, ends, zone)


def tidy(postal: str) -> str:
    """A postal code, or the beginning of one, as it is compared."""
    return "".join(postal.split()).upper()


def zone_of(postal: str, zones: Iterable[tuple[int, Iterable[str]]]) -> int | None:
    """The zone whose prefix fits a postal code best: the longest wins, the older zone among equals. None outside of all."""
    code = tidy(postal)
    fits = ((len(p), -zone, zone) for zone, prefixes in zones for p in map(tidy, prefixes) if code.startswith(p))
    return max(fits, default=(0, 0, None))[2]
