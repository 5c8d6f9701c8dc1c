"""Rules of invoice runs: cycles, warnings and what a run will bill."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.billing.invoices.rules import InvoicePeriod
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.taxes import Tax

INVOICE_RUN_OVER = declare_error("invoice_run_over", 409)
INVOICE_RUN_NOT_OVER = declare_error("invoice_run_not_over", 409)

INVOICE_RUN_JOB = "billing.invoice_run"
SEND_RUN_JOB = "billing.send_invoice_run"
CUSTOMERS_MAX = 500
"""Maximum number of customers named in a request."""
RUN_KIND = "invoices"


class InvoiceCycle(StrEnum):
    """Billing cycle of customers."""

    WEEK = InvoicePeriod.WEEK.value
    TWO_WEEKS = InvoicePeriod.TWO_WEEKS.value
    MONTH = InvoicePeriod.MONTH.value
    MANUAL = "manual"
    """Customers without a period."""


class RunOutcome(StrEnum):
    """Outcome of a customer in an invoice run."""

    QUEUED = "queued"
    ISSUED = "issued"
    NOTHING = "nothing"
    """The customer has nothing to invoice."""
    FAILED = "failed"
    CANCELLED = "cancelled"


OUTCOMES = {
    ImportRowState.QUEUED: RunOutcome.QUEUED,
    ImportRowState.CREATED: RunOutcome.ISSUED,
    ImportRowState.UPDATED: RunOutcome.NOTHING,
    ImportRowState.REFUSED: RunOutcome.FAILED,
    ImportRowState.CANCELLED: RunOutcome.CANCELLED,
}
"""Outcomes by the states of stored rows."""
STATES = {outcome: state for state, outcome in OUTCOMES.items()}


class RunWarning(StrEnum):
    """Reason to check a customer before the run."""

    EXEMPTION_EXPIRED = "exemption_expired"
    """The tax exemption of the customer has ended."""
    CREDIT_LEFT = "credit_left"
    """Existing credit pays the invoice in whole or in part."""
    NO_BILLING_ADDRESS = "no_billing_address"
    """The invoice will have no address."""
    NO_TAX_NUMBER = "no_tax_number"
    """The invoice states a tax, but the business has no VAT or tax number, which the law of its country requires."""


class RunInvoices(Struct, frozen=True):
    """Invoice run to work off, or to send."""

    invoice_run_id: int


class BilledPart(Struct, frozen=True, kw_only=True):
    """Unbilled amount of a customer and its taxes. None for the default tax."""

    customer_id: int
    currency: str
    amount_minor: int
    taxes: Sequence[Tax] | None


class CustomerSum(Struct, frozen=True, kw_only=True):
    """Unbilled and pending charges of a customer in one currency."""

    customer_id: int
    currency: str
    lines: int
    pending: int
    total_minor: int
    balance_minor: int


def merge_sums(sums: Iterable[CustomerSum]) -> list[CustomerSum]:
    """Return one positive sum for each customer and currency."""
    merged: dict[tuple[int, str], CustomerSum] = {}
    for each in sums:
        key = (each.customer_id, each.currency)
        before = merged.get(key)
        merged[key] = each if before is None else _add(before, each)
    return [merged[key] for key in sorted(merged) if merged[key].total_minor > 0]


def _add(a: CustomerSum, b: CustomerSum) -> CustomerSum:
    return CustomerSum(
        customer_id=a.customer_id,
        currency=a.currency,
        lines=a.lines + b.lines,
        pending=a.pending + b.pending,
        total_minor=a.total_minor + b.total_minor,
        balance_minor=a.balance_minor + b.balance_minor,
    )
