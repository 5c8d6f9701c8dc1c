"""The life of an offer and of a lease, what days come to, and what is wrong with either."""

from datetime import datetime, timedelta
from enum import StrEnum

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

LEASE_STEP_REFUSED = declare_error("lease_step_refused", 409)
LOCKER_OFFER_CLOSED = declare_error("locker_offer_closed", 409)
LOCKER_OFFER_SOLD_OUT = declare_error("locker_offer_sold_out", 409)
LEASE_TERMS_REFUSED = declare_error("lease_terms_refused", 409)
LEASE_WITHDRAWAL_OVER = declare_error("lease_withdrawal_over", 409)
LOCKER_OFFER_TERMS_REFUSED = declare_error("locker_offer_terms_refused", 409)

DAY = timedelta(days=1)
WARNED_BEFORE = timedelta(days=3)
"""So long before the end of a term its customer is told."""


class LockerOfferStatus(StrEnum):
    """Whether anybody can lease from an offer."""

    OFFERED = "offered"
    SUSPENDED = "suspended"
    ENDED = "ended"


class LeaseStatus(StrEnum):
    """How far a lease is."""

    RESERVED = "reserved"
    """Its boxes are kept until it is paid."""
    ACTIVE = "active"
    SUSPENDED = "suspended"
    """Nothing more can be put in; what is in can be taken out."""
    ENDED = "ended"
    CANCELLED = "cancelled"


class LeaseStep(StrEnum):
    """What is done with a lease."""

    PAY = "pay"
    CANCEL = "cancel"
    EXTEND = "extend"
    USE = "use"
    SUSPEND = "suspend"
    RESUME = "resume"
    REVOKE = "revoke"
    END = "end"


class EntryKind(StrEnum):
    """What was booked for a lease."""

    TERM = "term"
    EXTENSION = "extension"
    WITHDRAWAL = "withdrawal"
    REVOCATION = "revocation"
    OUTAGE = "outage"


_S, _T = LeaseStatus, LeaseStep
LIVE = frozenset({_S.RESERVED, _S.ACTIVE, _S.SUSPENDED})
"""The boxes are theirs."""


def _refused(step: LeaseStep, status: LeaseStatus) -> OperationError:
    return LEASE_STEP_REFUSED(step=step.value, status=status.value)


LEASE_LIFE = StateMachine(
    {
        _T.PAY: {_S.RESERVED: _S.ACTIVE},
        _T.CANCEL: {_S.RESERVED: _S.CANCELLED, _S.ACTIVE: _S.CANCELLED},
        _T.EXTEND: {_S.ACTIVE: _S.ACTIVE},
        _T.USE: {_S.ACTIVE: _S.ACTIVE},
        _T.SUSPEND: {_S.ACTIVE: _S.SUSPENDED},
        _T.RESUME: {_S.SUSPENDED: _S.ACTIVE},
        _T.REVOKE: {_S.ACTIVE: _S.ENDED, _S.SUSPENDED: _S.ENDED},
        _T.END: {_S.ACTIVE: _S.ENDED, _S.SUSPENDED: _S.ENDED},
    },
    created={_S.RESERVED: "reserve"},
    error=_refused,
)


def next_lease_status(step: LeaseStep, status: str) -> LeaseStatus:
    """The status that a step leads to. Raises `LEASE_STEP_REFUSED`."""
    return LEASE_LIFE.next_status_or_raise(step, LeaseStatus(status))


def lease_can(step: LeaseStep, status: str) -> bool:
    """Whether a step can be taken."""
    return LEASE_LIFE.next_status(step, LeaseStatus(status)) is not None


def withdraw_until(paid_at: datetime | None, hours: int) -> datetime | None:
    """Until when a lease that was not used can be called off, or None before it is paid."""
    return paid_at + timedelta(hours=hours) if paid_at else None


def unused_days(starts_at: datetime, ends_at: datetime, now: datetime) -> int:
    """How many whole days of a term have not begun."""
    return max((ends_at - max(now, starts_at)) // DAY, 0)


def lost_days(out_since: datetime, until: datetime) -> int:
    """How many days a box could not be used; one that has begun counts."""
    return max(-((out_since - until) // DAY), 1)


def mermaid() -> str:
    """The life of a lease as a diagram."""
    return LEASE_LIFE.mermaid()
