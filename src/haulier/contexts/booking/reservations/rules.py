"""Rules for zones, pattern windows and reservations."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from msgspec import Struct

from haulier.contexts.billing.ledger.rules import ChargeDetails
from haulier.contexts.billing.taxes.rules import ProductClass
from haulier.kernel.operations.errors import OperationError, declare_error

WINDOW_CLOSED = declare_error("booking_window_closed", 409)
WINDOW_CUT_OFF = declare_error("booking_window_cut_off", 409)
WINDOW_FULL = declare_error("booking_window_full", 409)
WINDOW_EXISTS = declare_error("booking_window_exists", 409)
WINDOW_ELSEWHERE = declare_error("booking_window_elsewhere", 409)
CAPACITY_BELOW_TAKEN = declare_error("booking_capacity_below_taken", 409)
ZONE_NAME_TAKEN = declare_error("booking_zone_name_taken", 409)
HOLD_EXPIRED = declare_error("reservation_hold_expired", 409)
RESERVATION_OVER = declare_error("reservation_over", 409)
RESERVATION_CONFIRMED = declare_error("reservation_confirmed", 409)
ORDER_RESERVED = declare_error("reservation_order_taken", 409)
ORDER_NOT_BOOKABLE = declare_error("reservation_order_not_bookable", 409)
TOO_MANY_HOLDS = declare_error("reservation_too_many_holds", 409)
NO_VISIT = declare_error("reservation_no_visit", 409)
NOT_CONFIRMED = declare_error("reservation_not_confirmed", 409)
CHECK_IN_CLOSED = declare_error("reservation_check_in_closed", 409)
CHECKED_IN = declare_error("reservation_checked_in", 409)
FEE_NOT_DUE = declare_error("no_show_fee_not_due", 409)
FEE_NOT_CHARGED = declare_error("no_show_fee_not_charged", 409)
WAITING_NEEDLESS = declare_error("waiting_list_needless", 409)
TOO_MANY_WAITING = declare_error("waiting_list_too_many", 409)

MAX_HOLDS_PER_CUSTOMER = 5
"""Maximum number of holds per customer, so that no one blocks a whole day for others."""
MAX_WAITING_PER_CUSTOMER = 10
"""Maximum number of waiting list entries per customer."""
BOOKABLE_ORDER_STATUSES = frozenset({"NEW_ORDER", "HOLD", "FAILED"})
"""Statuses of orders without a route, whose window can be set."""


class ReservationStatus(StrEnum):
    """Status of a reservation.

    `expired` follows from the time; a job updates the row later.
    """

    HELD = "held"
    CONFIRMED = "confirmed"
    CHECKED_IN = "checked_in"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    NO_SHOW = "no_show"


class NoShowFee(StrEnum):
    """Status of a no-show fee."""

    DUE = "due"
    PAID = "paid"
    WAIVED = "waived"


class BookingKind(StrEnum):
    """Kind of booking: a delivery to a zone, or a visit with check-in to a place."""

    DELIVERY = "delivery"
    DOCK = "dock"
    PICKUP_POINT = "pickup_point"
    LOCKER = "locker"
    APPOINTMENT = "appointment"


class WaitingStatus(StrEnum):
    """Status of a waiting list entry.

    An offer that is not accepted in time has lapsed.
    """

    WAITING = "waiting"
    OFFERED = "offered"
    ACCEPTED = "accepted"
    LAPSED = "lapsed"
    WITHDRAWN = "withdrawn"
    CLOSED = "closed"


class BookingWindowState(Struct, frozen=True, kw_only=True):
    """State of a window for the rules.

    `taken` counts confirmed reservations and unexpired holds. `waiting` counts waiting list entries, which get free
    places first.
    """

    capacity: int
    taken: int
    waiting: int = 0
    cut_off_at: datetime
    closed: bool = False


class WindowPattern(Struct, frozen=True, kw_only=True):
    """Windows that repeat every week. Weekdays follow ISO 8601: 1 is Monday."""

    weekdays: frozenset[int]
    starts: time
    ends: time
    cut_off_min: int
    first_day: date
    last_day: date | None = None


def check_window_bookable(window: BookingWindowState, now: datetime) -> OperationError | None:
    """Return the reason why a window cannot be booked now, or None."""
    if window.closed:
        return WINDOW_CLOSED()
    if now >= window.cut_off_at:
        return WINDOW_CUT_OFF()
    return WINDOW_FULL() if window.taken + window.waiting >= window.capacity else None


def current_reservation_status(
    confirmed: bool, outcome: str | None, expires_at: datetime, now: datetime, *, checked_in: bool = False
) -> ReservationStatus:
    """Return the status of a reservation at `now`."""
    if outcome is not None:
        return ReservationStatus(outcome)
    if checked_in:
        return ReservationStatus.CHECKED_IN
    if confirmed:
        return ReservationStatus.CONFIRMED
    return ReservationStatus.EXPIRED if now >= expires_at else ReservationStatus.HELD


def check_reservation_active(status: ReservationStatus) -> OperationError | None:
    """Return the reason why a reservation cannot be changed, or None."""
    if status is ReservationStatus.EXPIRED:
        return HOLD_EXPIRED()
    if status is ReservationStatus.CHECKED_IN:
        return CHECKED_IN()
    return RESERVATION_OVER() if status in (ReservationStatus.CANCELLED, ReservationStatus.NO_SHOW) else None


ACTIVE_RESERVATION = frozenset(status for status in ReservationStatus if check_reservation_active(status) is None)


def check_visit(
    status: ReservationStatus, opens_at: datetime, closes_at: datetime, now: datetime, *, late: bool
) -> OperationError | None:
    """Return the reason why a visit cannot be checked in now, or None.

    With `late`, a missed visit can be checked in until the window ends.
    """
    if status is ReservationStatus.HELD:
        return NOT_CONFIRMED()
    if status is not ReservationStatus.CONFIRMED and not (late and status is ReservationStatus.NO_SHOW):
        return check_reservation_active(status)
    return None if opens_at <= now < closes_at else CHECK_IN_CLOSED(opens_at=opens_at, closes_at=closes_at)


def no_show_fee_status(fee_minor: int | None, transfer_id: int | None, waived_at: datetime | None) -> NoShowFee | None:
    """Return the status of a fee, or None without a fee."""
    if not fee_minor:
        return None
    if waived_at is not None:
        return NoShowFee.WAIVED
    return NoShowFee.DUE if transfer_id is None else NoShowFee.PAID


def pattern_days(pattern: WindowPattern, first: date, last: date) -> Iterator[date]:
    """Yield the days of a pattern between two days, inclusive."""
    day = max(first, pattern.first_day)
    end = last if pattern.last_day is None else min(last, pattern.last_day)
    while day <= end:
        if day.isoweekday() in pattern.weekdays:
            yield day
        day += timedelta(days=1)


def window_times(day: date, starts: time, ends: time, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Return start and end of a window in the business's local time."""
    return datetime.combine(day, starts, zone), datetime.combine(day, ends, zone)


def charge_of_visit(place: str | None, day: date | None, reference: str | None, fee: str | None) -> ChargeDetails:
    """Return the invoice line of a visit, or of a no-show fee by its name."""
    return ChargeDetails(
        item=", ".join(filter(None, (fee, place))) or None,
        reference=reference,
        serviced_on=day,
        product_class=ProductClass.FEE if fee else ProductClass.SERVICE,
    )
