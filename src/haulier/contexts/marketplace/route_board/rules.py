"""Rules for claiming routes from the board, on plain records.

A claim is a row with three times: the driver queued, got the route, and ended the claim. The status of a claim or a
posting follows from these and from the route.
"""

from collections.abc import Iterable
from datetime import date, datetime
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.routes.routes.rules.progress import WITHDRAW_TOO_LATE, RouteStatus
from haulier.kernel.operations.errors import OperationError, declare_error

BOARD_NOT_OPEN_YET = declare_error("board_not_open_yet", 409)
BOARD_CLAIMS_OVER = declare_error("board_claims_over", 409)
DRIVER_BLOCKED = declare_error("driver_blocked_from_board", 403)
CLAIM_LIMIT_REACHED = declare_error("claim_limit_reached", 409)
STANDBY_FULL = declare_error("standby_full", 409)


class BoardClosingReason(StrEnum):
    """Reason why a route left the board."""

    TAKEN_OFF = "taken_off"
    ASSIGNED = "assigned"
    CANCELLED = "cancelled"
    MERGED = "merged"


class ClaimOutcome(StrEnum):
    """Outcome of a claim: withdrawn or left by the driver, freed or closed by staff."""

    WITHDRAWN = "withdrawn"
    LEFT = "left"
    FREED = "freed"
    CLOSED = "closed"


class ClaimStatus(StrEnum):
    """The status of a claim."""

    STANDBY = "standby"
    HELD = "held"
    STARTED = "started"
    COMPLETED = "completed"
    WITHDRAWN = "withdrawn"
    LEFT = "left"
    FREED = "freed"
    CLOSED = "closed"


class PostingStatus(StrEnum):
    """Status of a posting. `expired`: no driver claimed it in time."""

    SCHEDULED = "scheduled"
    OPEN = "open"
    CLAIMED = "claimed"
    STARTED = "started"
    COMPLETED = "completed"
    EXPIRED = "expired"
    CLOSED = "closed"


class BoardAdmission(Struct, frozen=True, kw_only=True):
    """Drivers who can claim a route.

    All given conditions must hold; empty ones admit every driver.
    """

    driver_ids: tuple[int, ...] = ()
    skills: tuple[str, ...] = ()
    own_drivers: bool = True
    contractor_ids: tuple[int, ...] = ()
    zones: tuple[str, ...] = ()


class BoardPosting(Struct, frozen=True, kw_only=True):
    """Posting in the form that the rules need.

    Times are in the business's time zone, because errors show them.
    """

    day: date
    opens_at: datetime
    closes_at: datetime | None
    withdraw_until: datetime | None
    claims_per_day: int
    standby_max: int
    admission: BoardAdmission
    closed: bool = False


class BoardCandidate(Struct, frozen=True, kw_only=True):
    """Driver with the number of board routes held on the day and their own limit."""

    driver_id: int
    contractor_id: int | None = None
    skills: frozenset[str] = frozenset()
    active: bool = True
    zones: frozenset[str] = frozenset()
    blocked_until: datetime | None = None
    claims_per_day: int | None = None
    held: int = 0


def is_admitted(admission: BoardAdmission, driver: BoardCandidate) -> bool:
    """Return True if the route is for this driver. Other drivers do not see it."""
    pool = admission.own_drivers if driver.contractor_id is None else driver.contractor_id in admission.contractor_ids
    chosen = not admission.driver_ids or driver.driver_id in admission.driver_ids
    in_zones = not admission.zones or not driver.zones.isdisjoint(admission.zones)
    return driver.active and pool and chosen and in_zones and driver.skills.issuperset(admission.skills)


def check_claim_allowed(posting: BoardPosting, driver: BoardCandidate, now: datetime) -> OperationError | None:
    """Return the reason why an admitted driver cannot get the route, or None."""
    if driver.blocked_until is not None and now < driver.blocked_until:
        return DRIVER_BLOCKED(until=_format_time(driver.blocked_until))
    most = posting.claims_per_day if driver.claims_per_day is None else driver.claims_per_day
    return CLAIM_LIMIT_REACHED(most=most) if driver.held >= most else None


def check_claim_request(
    posting: BoardPosting, driver: BoardCandidate, now: datetime, today: date
) -> OperationError | None:
    """Return the reason why an admitted driver cannot claim or stand by, or None."""
    if now < posting.opens_at:
        return BOARD_NOT_OPEN_YET(opens_at=_format_time(posting.opens_at))
    if _claims_are_over(posting, now, today):
        return BOARD_CLAIMS_OVER()
    return check_claim_allowed(posting, driver, now)


def check_claim_withdrawal(posting: BoardPosting, now: datetime) -> OperationError | None:
    """Return the reason why a driver cannot return a route, or None.

    Drivers can leave the standby queue at any time.
    """
    if posting.withdraw_until is not None and now > posting.withdraw_until:
        return WITHDRAW_TOO_LATE(until=_format_time(posting.withdraw_until))
    return None


def find_next_in_line(posting: BoardPosting, line: Iterable[BoardCandidate], now: datetime) -> BoardCandidate | None:
    """Return the first eligible driver in the queue. Others keep their position."""
    fit = (
        candidate
        for candidate in line
        if is_admitted(posting.admission, candidate) and check_claim_allowed(posting, candidate, now) is None
    )
    return next(fit, None)


def claim_status(route: RouteStatus, *, won: bool, outcome: ClaimOutcome | None) -> ClaimStatus:
    """The status of a claim."""
    if outcome is not None:
        return ClaimStatus(outcome.value)
    if not won:
        return ClaimStatus.STANDBY
    return _STATUS_UNDER_WAY.get(route, ClaimStatus.HELD)


def posting_status(
    posting: BoardPosting, route: RouteStatus, now: datetime, today: date, *, held: bool
) -> PostingStatus:
    """The status of a route on the board."""
    if held:
        return PostingStatus(_STATUS_UNDER_WAY.get(route, PostingStatus.CLAIMED).value)
    if posting.closed:
        return PostingStatus.CLOSED
    if now < posting.opens_at:
        return PostingStatus.SCHEDULED
    return PostingStatus.EXPIRED if _claims_are_over(posting, now, today) else PostingStatus.OPEN


def _claims_are_over(posting: BoardPosting, now: datetime, today: date) -> bool:
    return posting.day < today or (posting.closes_at is not None and now >= posting.closes_at)


def _format_time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M")


_STATUS_UNDER_WAY = {RouteStatus.STARTED: ClaimStatus.STARTED, RouteStatus.FINISHED: ClaimStatus.COMPLETED}
