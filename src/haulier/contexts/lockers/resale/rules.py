"""Life cycles of rental offers and rentals, and their errors."""

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
"""Time of the reminder before the end of a term."""


class LockerOfferStatus(StrEnum):
    """Status of a rental offer."""

    OFFERED = "offered"
    SUSPENDED = "suspended"
    ENDED = "ended"


class LeaseStatus(StrEnum):
    """Status of a locker rental."""

    RESERVED = "reserved"
    """The compartments are reserved until payment."""
    ACTIVE = "active"
    SUSPENDED = "suspended"
    """Deposits are blocked; parcels can be retrieved."""
    ENDED = "ended"
    CANCELLED = "cancelled"


class LeaseStep(StrEnum):
    """Step in the life of a rental."""

    PAY = "pay"
    CANCEL = "cancel"
    EXTEND = "extend"
    USE = "use"
    SUSPEND = "suspend"
    RESUME = "resume"
    REVOKE = "revoke"
    END = "end"


class EntryKind(StrEnum):
    """Kind of payment or refund."""

    TERM = "term"
    EXTENSION = "extension"
    WITHDRAWAL = "withdrawal"
    REVOCATION = "revocation"
    OUTAGE = "outage"


_S, _T = LeaseStatus, LeaseStep
LIVE = frozenset({_S.RESERVED, _S.ACTIVE, _S.SUSPENDED})
"""Statuses with compartments."""


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
    """Return the status after a step. Raises `LEASE_STEP_REFUSED`."""
    return LEASE_LIFE.next_status_or_raise(step, LeaseStatus(status))


def lease_can(step: LeaseStep, status: str) -> bool:
    """Return True if the step is allowed."""
    return LEASE_LIFE.next_status(step, LeaseStatus(status)) is not None


def withdraw_until(paid_at: datetime | None, hours: int) -> datetime | None:
    """Return the deadline for cancelling an unused rental, or None before payment."""
    return paid_at + timedelta(hours=hours) if paid_at else None


def unused_days(starts_at: datetime, ends_at: datetime, now: datetime) -> int:
    """Return the number of whole days of a term that have not started."""
    return max((ends_at - max(now, starts_at)) // DAY, 0)


def lost_days(out_since: datetime, until: datetime) -> int:
    """Return the number of outage days; a started day counts."""
    return max(-((out_since - until) // DAY), 1)


def mermaid() -> str:
    """Render the life of a rental as a Mermaid diagram."""
    return LEASE_LIFE.mermaid()
