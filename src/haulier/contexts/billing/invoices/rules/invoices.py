"""The rules of invoices: numbers, tax, what is covered already, and when a letter is due."""

from collections.abc import Sequence
from datetime import date, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.billing.ledger.rules import TransferKind
from haulier.kernel.operations.errors import declare_error

NOTHING_TO_INVOICE = declare_error("nothing_to_invoice", 409)
INVOICE_NOT_OPEN = declare_error("invoice_not_open", 409)
INVOICE_NOT_LATEST = declare_error("invoice_not_latest", 409)
INVOICE_AMOUNT_TOO_LARGE = declare_error("invoice_amount_too_large", 409)

INVOICE_SUBJECT = "invoice"
"""What transfers of payments, fees and credit notes are about, in the ledger."""
BILLED_KINDS = frozenset({TransferKind.CHARGE, TransferKind.CAPTURE, TransferKind.REFUND, TransferKind.ADJUSTMENT})
"""What stands on invoices. Money that came in or went back the way it came is a payment."""
LINES_MAX = 1_000
"""So many charges stand on an invoice; a further one takes the rest."""
LEVELS_MAX = 5
PREFIX_MAX = 12
NUMBER_MAX = 24
BASIS_POINTS = 10_000


class InvoiceKind(StrEnum):
    """What a document of billing is."""

    INVOICE = "invoice"
    CREDIT_NOTE = "credit_note"
    """It takes back a part of an invoice, or all of it."""


class InvoiceStatus(StrEnum):
    """How far an invoice is."""

    OPEN = "open"
    """Something is still to be paid."""
    PAID = "paid"
    """Nothing is to be paid: it was paid, or credited."""
    VOID = "void"
    """Withdrawn; its number stays, and its charges stand on the next one."""


class InvoicePeriod(StrEnum):
    """How often a customer is billed."""

    WEEK = "week"
    """On Mondays."""
    MONTH = "month"
    """On the first day of each month."""


class DunningLevel(Struct, frozen=True, kw_only=True):
    """A letter about an invoice that is not paid: so many days after it was due, with a fee in minor units."""

    days_overdue: int
    fee_minor: int = 0


def tax_within(gross_minor: int, rate_bp: int) -> int:
    """The tax that a gross amount contains at a rate in hundredths of a percent, rounded half up, away from zero."""
    size = (2 * abs(gross_minor) * rate_bp + BASIS_POINTS + rate_bp) // (2 * (BASIS_POINTS + rate_bp))
    return size if gross_minor >= 0 else -size


def covered_by_credit(balance_minor: int, open_minor: int, total_minor: int) -> int:
    """How much of a new invoice is paid already by money in the wallet that no other open invoice needs.

    The charges of the invoice have left the wallet before, so what was there for them is the balance and all that is owed.
    """
    return max(0, min(balance_minor + open_minor + total_minor, total_minor))


def document_number(prefix: str, number: int) -> str:
    """A number as it is printed: `INV-` and 17 give `INV-000017`."""
    return f"{prefix}{number:06d}"


def next_billing_day(period: InvoicePeriod, after: date) -> date:
    """The first day after a day on which such a period is billed."""
    if period is InvoicePeriod.WEEK:
        return after + timedelta(days=7 - after.weekday())
    return date(after.year + after.month // 12, after.month % 12 + 1, 1)


def letter_due(levels: Sequence[DunningLevel], written: int, due_on: date, today: date) -> DunningLevel | None:
    """The next letter about an invoice of which so many were written, if its day has come."""
    if written >= len(levels) or today < due_on + timedelta(days=levels[written].days_overdue):
        return None
    return levels[written]
