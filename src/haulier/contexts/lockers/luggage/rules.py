"""The life of a bag, what that makes of its booking, and how much of the money goes back."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.ids import CROCKFORD_ALPHABET, hash_token
from haulier.kernel.values.one_time_codes import make_public_code
from haulier.kernel.values.state_machine import StateMachine

LUGGAGE_STEP_REFUSED = declare_error("luggage_step_refused", 409)
LUGGAGE_TAG_TAKEN = declare_error("luggage_tag_taken", 409)
LUGGAGE_CLAIM_REFUSED = declare_error("luggage_claim_refused", 409)
LUGGAGE_AMOUNT_TOO_HIGH = declare_error("luggage_amount_too_high", 409)

BAGS_MAX = 10
PIN_DIGITS = 6
WRONG_PINS_MAX = 5
PIN_REST = timedelta(minutes=15)
"""After five wrong PINs none is looked at for so long."""
BOX_LEAD = timedelta(hours=1)
"""Boxes are kept from so long before the traveller comes."""
BOX_RETRY = timedelta(minutes=5)
TAG_LENGTH = 8
FULL_PERCENT = 100
VOLUMES_CM3 = {"s": 50_000, "m": 80_000, "l": 130_000, "xl": 260_000}
"""What a bag of a size is taken to measure where a tariff counts volume: cabin bag, suitcase, large suitcase, skis or golf."""


class LuggageTerms(Struct, frozen=True, kw_only=True):
    """How a business relays luggage."""

    pay_minutes: int = 60
    free_cancel_hours: int = 24
    late_refund_percent: int = 50
    pick_days: int = 3
    claim_days: int = 21
    liability_minor: int = 0


class BookingStatus(StrEnum):
    """How far a booking is: as far as the last of its bags that were handed in."""

    BOOKED = "booked"
    RECEIVED = "received"
    IN_TRANSIT = "in_transit"
    AT_DESTINATION = "at_destination"
    COLLECTED = "collected"
    OVERDUE = "overdue"
    """The bags are at their destination, and their time there is over."""
    LOST = "lost"
    """No bag is known to be anywhere."""
    CANCELLED = "cancelled"


class BookingStep(StrEnum):
    """What is done with a booking."""

    UPDATE = "update"
    PAY = "pay"
    CANCEL = "cancel"
    RENEW_CODES = "renew_codes"
    REDIRECT = "redirect"
    EXTEND = "extend"
    ASSIGN = "assign"


class BagStatus(StrEnum):
    """Where a bag is."""

    EXPECTED = "expected"
    RECEIVED = "received"
    LOADED = "loaded"
    UNLOADED = "unloaded"
    COLLECTED = "collected"
    LOST = "lost"
    ABSENT = "absent"
    """It was never handed in."""


class BagStep(StrEnum):
    """What happens to a bag."""

    RECEIVE = "receive"
    LOAD = "load"
    UNLOAD = "unload"
    HAND_OUT = "hand_out"
    LOSE = "lose"
    LEAVE_OUT = "leave_out"


class LuggageEnd(StrEnum):
    """Why a booking was cancelled."""

    CANCELLED = "cancelled"
    NOT_PAID = "not_paid"
    NOT_BROUGHT = "not_brought"
    NO_BOX = "no_box"
    DOOR_STUCK = "door_stuck"


class LuggageClaimStatus(StrEnum):
    """How far a claim is."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


class ClaimStep(StrEnum):
    """What is done with a claim."""

    ACCEPT = "accept"
    REFUSE = "refuse"
    WITHDRAW = "withdraw"


class ClaimKind(StrEnum):
    """What went wrong."""

    LATE = "late"
    LOST = "lost"
    DAMAGED = "damaged"


_B, _S = BagStatus, BookingStatus


def refused(step: StrEnum, status: StrEnum) -> OperationError:
    """The error of what cannot be done now."""
    return LUGGAGE_STEP_REFUSED(step=step.value, status=status.value)


BAG_LIFE = StateMachine(
    {
        BagStep.RECEIVE: {_B.EXPECTED: _B.RECEIVED},
        # Why from lost: who scans a bag has found it.
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
"""The traveller can take the bags."""
UNDER_WAY = frozenset({_S.RECEIVED, _S.IN_TRANSIT})
ENDED = frozenset({_S.COLLECTED, _S.LOST, _S.CANCELLED})
_REACHED = (
    (_B.RECEIVED, _S.RECEIVED),
    (_B.LOADED, _S.IN_TRANSIT),
    (_B.UNLOADED, _S.AT_DESTINATION),
    (_B.COLLECTED, _S.COLLECTED),
)
"""In their order: the bag that is least far says how far the booking is."""


def require_step(step: BookingStep, status: str) -> None:
    """Whether a step can be taken with a booking. Raises `LUGGAGE_STEP_REFUSED`."""
    if BookingStatus(status) not in _ALLOWED[step]:
        raise refused(step, BookingStatus(status))


def statuses_allowing(step: BookingStep) -> frozenset[BookingStatus]:
    """The statuses in which a step can be taken with a booking."""
    return _ALLOWED[step]


def can(step: BookingStep, status: str) -> bool:
    """Whether a step can be taken with a booking."""
    return BookingStatus(status) in _ALLOWED[step]


def status_of_bags(bags: Sequence[str], *, overdue: bool) -> BookingStatus:
    """How far a booking is whose bags have these statuses."""
    begun = {BagStatus(each) for each in bags} - {_B.EXPECTED, _B.ABSENT}
    if not begun:
        return _S.BOOKED
    for bag, booking in _REACHED:
        if bag in begun:
            return _S.OVERDUE if overdue and booking is _S.AT_DESTINATION else booking
    return _S.LOST


def refund_share(price_minor: int, percent: int) -> int:
    """A share of a price in percent, rounded half up."""
    return (2 * price_minor * percent + FULL_PERCENT) // (2 * FULL_PERCENT)


def refund_percent(terms: LuggageTerms, drop_from: datetime, now: datetime) -> int:
    """How much of a paid price goes back where nothing was handed in: all until some hours before, then a share."""
    early = now <= drop_from - timedelta(hours=terms.free_cancel_hours)
    return FULL_PERCENT if early else terms.late_refund_percent


def share_of_bags(price_minor: int, bags: int, left_out: int) -> int:
    """What of a price is for some of its bags, rounded half up."""
    return (2 * price_minor * left_out + bags) // (2 * bags)


def digest_pin(client_id: int, booking_id: int, pin: str) -> bytes:
    """What is kept of a PIN: it is good for one booking."""
    return hash_token(f"luggage:{client_id}:{booking_id}:{pin}")


def make_tag() -> str:
    """A new tag for a bag, in letters and digits that are not mistaken for each other."""
    return "B" + make_public_code(CROCKFORD_ALPHABET, TAG_LENGTH)


def tags_twice(tags: Collection[str]) -> bool:
    """Whether a tag is there twice."""
    return len(set(tags)) < len(tags)


def mermaid() -> str:
    """The life of a bag as a diagram."""
    return BAG_LIFE.mermaid()
