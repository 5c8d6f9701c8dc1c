"""Rules of invoices."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.billing.ledger.rules import TransferKind
from haulier.kernel.operations.errors import FieldError, OperationError, declare_error, record_not_found
from haulier.kernel.values.money import Money
from haulier.kernel.values.taxes import Tax, TaxSum, sum_taxes, tax_within


class CreditPart(Struct, frozen=True, kw_only=True):
    """Part of a credit note that refunds one charge."""

    charge_id: int
    minor: int


def distribute_credit(left: Mapping[int, int], minor: int) -> Sequence[CreditPart]:
    """Distribute an amount over charges in order, each up to its remainder."""
    parts: list[CreditPart] = []
    for charge_id, most in left.items():
        part = min(most, minor)
        if part > 0:
            parts.append(CreditPart(charge_id=charge_id, minor=part))
            minor -= part
    return parts


class AskedCharge(Struct, frozen=True, kw_only=True):
    """Requested credit of a charge. Without an amount, its remainder.

    `path` is the place of the charge in the request, such as `charges.1.`.
    """

    charge_id: int
    minor: int | None
    path: str = ""

    def not_found(self) -> OperationError:
        """Return `NOT_FOUND` for a charge of another invoice."""
        return record_not_found(self.path, transfer_id=self.charge_id)

    def too_large(self, most: Money) -> OperationError:
        """Return `INVOICE_AMOUNT_TOO_LARGE` with what is left of the charge."""
        fault = FieldError(f"{self.path}amount_minor", INVOICE_AMOUNT_TOO_LARGE.id, {"left": str(most)})
        return INVOICE_AMOUNT_TOO_LARGE.for_fields(fault, left=str(most))


class AskedCredit(Struct, frozen=True, kw_only=True):
    """Requested credit of an invoice: by charge, or else an amount over all charges."""

    amount_minor: int | None = None
    charges: Sequence[AskedCharge] = ()


def credit_charges(
    left: Mapping[int, int], asked: Sequence[AskedCharge], uncredited: int, currency: str
) -> Sequence[CreditPart]:
    """Return the credited part of each charge, up to its remainder.

    `uncredited` is the remainder of the invoice. Raises `INVOICE_AMOUNT_TOO_LARGE`.
    """
    parts: list[CreditPart] = []
    for each in asked:
        most = min(left[each.charge_id], uncredited)
        minor = each.minor or most
        if not most or minor > most:
            raise each.too_large(Money(most, currency))
        parts.append(CreditPart(charge_id=each.charge_id, minor=minor))
        uncredited -= minor
    return parts


NOTHING_TO_INVOICE = declare_error("nothing_to_invoice", 409)
INVOICE_NOT_OPEN = declare_error("invoice_not_open", 409)
INVOICE_NOT_LATEST = declare_error("invoice_not_latest", 409)
INVOICE_NOT_OVERDUE = declare_error("invoice_not_overdue", 409)
REMINDER_SENT_TODAY = declare_error("reminder_sent_today", 409)
REMINDERS_PAUSED = declare_error("reminders_paused", 409)
INVOICE_AMOUNT_TOO_LARGE = declare_error("invoice_amount_too_large", 409)

INVOICE_SUBJECT = "invoice"
"""Ledger subject of payments, fees and credit notes."""
BILLED_KINDS = frozenset({TransferKind.CHARGE, TransferKind.CAPTURE, TransferKind.REFUND, TransferKind.ADJUSTMENT})
"""Kinds of transfers that appear on invoices. Incoming and returned payments do not."""
LINES_MAX = 1_000
"""Maximum number of charges on an invoice. Another invoice takes the rest."""
LEVELS_MAX = 5
PREFIX_MAX = 12
NUMBER_MAX = 24


class InvoiceKind(StrEnum):
    """Kind of a billing document."""

    INVOICE = "invoice"
    CREDIT_NOTE = "credit_note"
    """Credits part or all of an invoice."""


class InvoiceStatus(StrEnum):
    """Status of an invoice."""

    OPEN = "open"
    """Has an open amount."""
    PAID = "paid"
    """Has no open amount: paid or credited."""
    VOID = "void"
    """Withdrawn. The number remains in use, and the charges appear on the next invoice."""


class InvoicePeriod(StrEnum):
    """Interval of automatic invoices."""

    WEEK = "week"
    """On Mondays, or another weekday."""
    TWO_WEEKS = "two_weeks"
    """Every second week."""
    MONTH = "month"
    """On the first day of each month, or another day."""


class DunningLevel(Struct, frozen=True, kw_only=True):
    """Reminder level: days after the due date, and the fee in minor units."""

    days_overdue: int
    fee_minor: int = 0


def document_tax(lines: Iterable[tuple[int, Sequence[Tax] | None]], rate_bp: int) -> int:
    """Return the tax of an invoice or credit note in minor units.

    `lines` are gross amounts with their taxes. Lines without stated taxes share the default rate.
    """
    given = list(lines)
    stated = sum(tax.amount_minor for _, taxes in given for tax in taxes or ())
    return stated + tax_within(sum(amount for amount, taxes in given if taxes is None), rate_bp)


def document_taxes(
    lines: Iterable[tuple[int, Sequence[Tax] | None]], name: str, rate_bp: int, tax_minor: int
) -> list[TaxSum]:
    """Return the taxes of an invoice or credit note by name and rate.

    Lines without stated taxes contain what `tax_minor` has beyond the stated taxes.
    """
    given = list(lines)
    rest = tax_minor - sum(tax.amount_minor for _, taxes in given for tax in taxes or ())
    gross = sum(amount for amount, taxes in given if taxes is None)
    default = (Tax(name=name, rate_bp=rate_bp, amount_minor=rest),) if rate_bp else ()
    whole = [(gross, default)] if any(taxes is None for _, taxes in given) else []
    return sum_taxes([*((amount, taxes) for amount, taxes in given if taxes is not None), *whole])


def covered_by_credit(available_minor: int, total_minor: int) -> int:
    """Return the part of a new invoice that available credit covers.

    The charges of the invoice were already taken from the credit.
    """
    return max(0, min(available_minor + total_minor, total_minor))


def document_number(prefix: str, number: int) -> str:
    """Return a printed number: `INV-` and 17 become `INV-000017`."""
    return f"{prefix}{number:06d}"


DAYS_OF_WEEK, DAYS_OF_MONTH = 7, 28


def next_billing_day(period: InvoicePeriod, after: date, day: int | None = None) -> date:
    """Return the first billing day of a period after a day.

    `day` is a weekday (1 for Monday) or a day of the month. Every second week, the day is in the week after next.
    """
    day = day or 1
    if period is InvoicePeriod.MONTH:
        first = after.replace(day=day)
        return first if first > after else date(after.year + after.month // 12, after.month % 12 + 1, day)
    days = (day - 1 - after.weekday()) % DAYS_OF_WEEK or DAYS_OF_WEEK
    return after + timedelta(days=days + (DAYS_OF_WEEK if period is InvoicePeriod.TWO_WEEKS else 0))


def following_billing_day(period: InvoicePeriod, due: date, today: date, day: int | None = None) -> date:
    """Return the first billing day after a due day that is later than today."""
    if period is not InvoicePeriod.TWO_WEEKS:
        return next_billing_day(period, max(due, today), day)
    rounds = max(0, (today - due).days) // (2 * DAYS_OF_WEEK) + 1
    return due + timedelta(days=rounds * 2 * DAYS_OF_WEEK)


def last_billed_day(period: InvoicePeriod | None, today: date, day: int | None = None) -> date:
    """Return the last day of the newest complete period, by default yesterday."""
    if period is None:
        return today - timedelta(days=1)
    if period is InvoicePeriod.MONTH:
        first = today.replace(day=day or 1)
        before = (today.replace(day=1) - timedelta(days=1)).replace(day=day or 1)
        return (first if first <= today else before) - timedelta(days=1)
    return today - timedelta(days=(today.weekday() - (day or 1) + 1) % DAYS_OF_WEEK + 1)


def email_due(
    levels: Sequence[DunningLevel], written: int, due_on: date, today: date, last_on: date | None = None
) -> DunningLevel | None:
    """Return the next reminder level if it is due, or None.

    After a reminder on `last_on`, the next level waits the days between the two levels, even if it is late.
    """
    if written >= len(levels):
        return None
    step = levels[written]
    due = due_on + timedelta(days=step.days_overdue)
    if last_on is not None and written:
        due = max(due, last_on + timedelta(days=step.days_overdue - levels[written - 1].days_overdue))
    return step if today >= due else None


SEND_INVOICE_JOB = "billing.send_invoice"
BILL_CUSTOMER_JOB = "billing.bill_customer"
REMIND_JOB = "billing.remind"


class SendInvoice(Struct, frozen=True, kw_only=True):
    """Email of an invoice. `level` is the reminder level, 0 for the invoice itself."""

    invoice_id: int
    level: int = 0


class BillCustomer(Struct, frozen=True):
    """Automatic invoice of a customer."""

    customer_id: int


class RemindCustomer(Struct, frozen=True):
    """Reminder about an unpaid invoice."""

    invoice_id: int
