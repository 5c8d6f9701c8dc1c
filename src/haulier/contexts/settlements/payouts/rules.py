"""Rules of payouts: statuses, disputes and numbers."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.settlements.pay.rules import PayeeKind
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error

NOTHING_TO_PAY = declare_error("nothing_to_pay", 409)
PAYOUT_STEP_REFUSED = declare_error("payout_step_refused", 409)
PAYOUT_DISPUTED = declare_error("payout_disputed", 409)
PAYOUT_LINE_DISPUTED = declare_error("payout_line_disputed", 409)
PAYOUT_DISPUTE_CLOSED = declare_error("payout_dispute_closed", 409)
PAYOUT_NUMBER_MAX = 24
PAYOUT_REFERENCE_MAX = 80


class PayoutStatus(StrEnum):
    """Status of a payout."""

    OPEN = "open"
    """Issued. Its lines can be disputed."""
    CLOSED = "closed"
    """Approved for payment. Its lines can no longer be disputed."""
    PAID = "paid"
    """Paid to the contractor or driver."""
    CANCELLED = "cancelled"
    """Withdrawn. The number remains in use, and the earnings are on a later payout."""


class PayoutStep(StrEnum):
    """Change of the status of a payout."""

    DISPUTE = "dispute"
    RESOLVE = "resolve"
    CLOSE = "close"
    PAY = "pay"
    REOPEN = "reopen"
    CANCEL = "cancel"


class DisputeState(StrEnum):
    """State of a disputed line."""

    OPEN = "open"
    ACCEPTED = "accepted"
    """Another amount was agreed. The difference is a line of the same payout."""
    REJECTED = "rejected"
    """The amount stays."""


ALLOWED: Mapping[PayoutStep, frozenset[str]] = {
    PayoutStep.DISPUTE: frozenset({PayoutStatus.OPEN}),
    PayoutStep.RESOLVE: frozenset({PayoutStatus.OPEN}),
    PayoutStep.CLOSE: frozenset({PayoutStatus.OPEN}),
    PayoutStep.PAY: frozenset({PayoutStatus.OPEN, PayoutStatus.CLOSED}),
    PayoutStep.REOPEN: frozenset({PayoutStatus.CLOSED, PayoutStatus.PAID}),
    PayoutStep.CANCEL: frozenset({PayoutStatus.OPEN}),
}
"""Statuses in which each step is possible."""


class UnpaidSum(Struct, frozen=True, kw_only=True):
    """Earnings of a payee in one currency that are on no payout."""

    payee_kind: PayeeKind
    payee_id: int
    currency: str
    lines: int
    amount_minor: int


class DisputableLine(Struct, frozen=True, kw_only=True):
    """Earning on a payout with the state of its dispute."""

    earning_id: int
    dispute: str | None


def payout_number(number: int) -> str:
    """Return a printed number: 17 becomes `PAY-000017`."""
    return f"PAY-{number:06d}"


def list_payable(sums: Iterable[UnpaidSum]) -> list[UnpaidSum]:
    """Return the sums that a payout can pay, by payee.

    Payees who owe as much as they earned wait for a later payout.
    """
    payable = [each for each in sums if each.amount_minor > 0]
    return sorted(payable, key=lambda each: (each.payee_kind.value, each.payee_id, each.currency))


def require_step(step: PayoutStep, number: str, status: str) -> None:
    """Raise `PAYOUT_STEP_REFUSED` if a step is not possible in a status."""
    if status not in ALLOWED[step]:
        raise PAYOUT_STEP_REFUSED(number=number, status=status)


def require_lines(lines: Iterable[DisputableLine], earning_ids: Sequence[int]) -> None:
    """Raise `INVALID_REQUEST` for earnings that are not on the payout."""
    known = {line.earning_id for line in lines}
    faults = [
        FieldError(f"earning_ids.{at}", "field.not_on_payout") for at, id in enumerate(earning_ids) if id not in known
    ]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
