"""Life cycle of bags, the status of their booking, and refunds."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.ids import CROCKFORD_ALPHABET, hash_token
from haulier.kernel.values.one_time_codes import make_public_code
from haulier.kernel.values.rounding import divide_half_up
from haulier.kernel.values.state_machine import StateMachine

LUGGAGE_STEP_REFUSED = declare_error("luggage_step_refused", 409)
LUGGAGE_TAG_TAKEN = declare_error("luggage_tag_taken", 409)
LUGGAGE_CLAIM_REFUSED = declare_error("luggage_claim_refused", 409)
LUGGAGE_AMOUNT_TOO_HIGH = declare_error("luggage_amount_too_high", 409)

BAGS_MAX = 10
PIN_DIGITS = 6
WRONG_PINS_MAX = 5
PIN_REST = timedelta(minutes=15)
"""Lockout after five wrong PINs."""
BOX_LEAD = timedelta(hours=1)
"""Time before the drop-off at which compartments are reserved."""
BOX_RETRY = timedelta(minutes=5)
TAG_LENGTH = 8
FULL_PERCENT = 100
VOLUMES_CM3 = {"s": 50_000, "m": 80_000, "l": 130_000, "xl": 260_000}
"""Volume of a bag by size, for tariffs by volume: cabin bag, suitcase, large suitcase, skis or golf."""


class LuggageTerms(Struct, frozen=True, kw_only=True):
    """Settings of the luggage relay."""

    pay_minutes: int = 60
    free_cancel_hours: int = 24
    late_refund_percent: int = 50
    pick_days: int = 3
    claim_days: int = 21
    liability_minor: int = 0


class BookingStatus(StrEnum):
    """Status of a booking, according to its slowest dropped-off bag."""

    BOOKED = "booked"
    RECEIVED = "received"
    IN_TRANSIT = "in_transit"
    AT_DESTINATION = "at_destination"
    COLLECTED = "collected"
    OVERDUE = "overdue"
    """The pickup time at the destination is over."""
    LOST = "lost"
    """All bags are lost."""
    CANCELLED = "cancelled"


class BookingStep(StrEnum):
    """Step in the life of a booking."""

    UPDATE = "update"
    PAY = "pay"
    CANCEL = "cancel"
    RENEW_CODES = "renew_codes"
    REDIRECT = "redirect"
    EXTEND = "extend"
    ASSIGN = "assign"


class BagStatus(StrEnum):
    """Status of a bag."""

    EXPECTED = "expected"
    RECEIVED = "received"
    LOADED = "loaded"
    UNLOADED = "unloaded"
    COLLECTED = "collected"
    LOST = "lost"
    ABSENT = "absent"
    """Never dropped off."""


class BagStep(StrEnum):
    """Step in the life of a bag."""

    RECEIVE = "receive"
    LOAD = "load"
    UNLOAD = "unload"
    HAND_OUT = "hand_out"
    LOSE = "lose"
    LEAVE_OUT = "leave_out"


class LuggageEnd(StrEnum):
    """Reason for a cancellation."""

    CANCELLED = "cancelled"
    NOT_PAID = "not_paid"
    NOT_BROUGHT = "not_brought"
    NO_BOX = "no_box"
    DOOR_STUCK = "door_stuck"


class LuggageClaimStatus(StrEnum):
    """Status of a claim."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


class ClaimStep(StrEnum):
    """Step in the life of a claim."""

    ACCEPT = "accept"
    REFUSE = "refuse"
    WITHDRAW = "withdraw"


class ClaimKind(StrEnum):
    """Kind of incident."""

    LATE = "late"
    LOST = "lost"
    DAMAGED = "damaged"


_B, _S = BagStatus, BookingStatus


def refused(step: StrEnum, status: StrEnum) -> OperationError:
    """Return the error for a step that is not allowed now."""
    return LUGGAGE_STEP_REFUSED(step=step.value, status=status.value)


BAG_LIFE = StateMachine(
    {
        BagStep.RECEIVE: {_B.EXPECTED: _B.RECEIVED},
        # Lost bags can be scanned: scanning finds them.
        BagStep.LOAD: {_B.RECEIVED: _B.LOADED, _B.LOST: _B.LOADED},
        BagStep.UNLOAD: {_B.LOADED: _B.UNLOADED, _B.LOST: _B.UNLOADED},
        BagStep.HAND_OUT: {_B.UNLOADED: _B.COLLECTED},
        BagStep.LOSE: dict.fromkeys((_B.RECEIVED, _B.LOADED, _B.UNLOADED), _B.LOST),
        BagStep.LEAVE_OUT: {_B.EXPECTED: _B.ABSENT},
    },
    created={_B.EXPECTED: "book"},
    error=refused,
)
CLAIM_LIFE = StateMachine(
    {
        ClaimStep.ACCEPT: {LuggageClaimStatus.OPEN: LuggageClaimStatus.ACCEPTED},
        ClaimStep.REFUSE: {LuggageClaimStatus.OPEN: LuggageClaimStatus.REFUSED},
        ClaimStep.WITHDRAW: {LuggageClaimStatus.OPEN: LuggageClaimStatus.WITHDRAWN},
    },
    created={LuggageClaimStatus.OPEN: "file"},
    error=refused,
)
_ALLOWED: dict[BookingStep, frozenset[BookingStatus]] = {
    BookingStep.UPDATE: frozenset({_S.BOOKED}),
    BookingStep.PAY: frozenset({_S.BOOKED}),
    BookingStep.CANCEL: frozenset({_S.BOOKED}),
    BookingStep.RENEW_CODES: frozenset({_S.BOOKED, _S.AT_DESTINATION, _S.OVERDUE}),
    BookingStep.REDIRECT: frozenset({_S.BOOKED, _S.RECEIVED, _S.IN_TRANSIT}),
    BookingStep.EXTEND: frozenset({_S.AT_DESTINATION, _S.OVERDUE}),
    BookingStep.ASSIGN: frozenset({_S.BOOKED, _S.RECEIVED, _S.IN_TRANSIT}),
}
WAITING = frozenset({_S.AT_DESTINATION, _S.OVERDUE})
"""Statuses in which the traveller can collect the bags."""
ENDED = frozenset({_S.COLLECTED, _S.LOST, _S.CANCELLED})
_REACHED = (
    (_B.RECEIVED, _S.RECEIVED),
    (_B.LOADED, _S.IN_TRANSIT),
    (_B.UNLOADED, _S.AT_DESTINATION),
    (_B.COLLECTED, _S.COLLECTED),
)
"""Ascending: the slowest bag determines the status of the booking."""


def require_step(step: BookingStep, status: str) -> None:
    """Require that a step is allowed for a booking. Raises `LUGGAGE_STEP_REFUSED`."""
    if BookingStatus(status) not in _ALLOWED[step]:
        raise refused(step, BookingStatus(status))


def statuses_allowing(step: BookingStep) -> frozenset[BookingStatus]:
    """Return the statuses of a booking that allow a step."""
    return _ALLOWED[step]


def can(step: BookingStep, status: str) -> bool:
    """Return True if a step is allowed for a booking."""
    return BookingStatus(status) in _ALLOWED[step]


def status_of_bags(bags: Sequence[str], *, overdue: bool) -> BookingStatus:
    """Return the status of a booking from the statuses of its bags."""
    begun = {BagStatus(each) for each in bags} - {_B.EXPECTED, _B.ABSENT}
    if not begun:
        return _S.BOOKED
    for bag, booking in _REACHED:
        if bag in begun:
            return _S.OVERDUE if overdue and booking is _S.AT_DESTINATION else booking
    return _S.LOST


def refund_share(price_minor: int, percent: int) -> int:
    """Return a percentage of a price, rounded half up."""
    return divide_half_up(price_minor * percent, FULL_PERCENT)


def refund_percent(terms: LuggageTerms, drop_from: datetime, now: datetime) -> int:
    """Return the refunded percentage of a price for a cancellation before drop-off."""
    early = now <= drop_from - timedelta(hours=terms.free_cancel_hours)
    return FULL_PERCENT if early else terms.late_refund_percent


def share_of_bags(price_minor: int, bags: int, left_out: int) -> int:
    """Return the share of a price for some of its bags, rounded half up."""
    return divide_half_up(price_minor * left_out, bags)


def digest_pin(client_id: int, booking_id: int, pin: str) -> bytes:
    """Return the digest of a PIN, valid for one booking."""
    return hash_token(f"luggage:{client_id}:{booking_id}:{pin}")


def make_tag() -> str:
    """Return a new bag tag of unambiguous letters and digits."""
    return "B" + make_public_code(CROCKFORD_ALPHABET, TAG_LENGTH)


def tags_twice(tags: Collection[str]) -> bool:
    """Return True if a tag occurs twice."""
    return len(set(tags)) < len(tags)


def mermaid() -> str:
    """Render the life of a bag as a Mermaid diagram."""
    return BAG_LIFE.mermaid()
