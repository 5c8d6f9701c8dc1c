"""Request and response models for invoices."""

from datetime import date, datetime
from itertools import pairwise
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.billing.invoices.rules import (
    DAYS_OF_MONTH,
    DAYS_OF_WEEK,
    LEVELS_MAX,
    LINES_MAX,
    NUMBER_MAX,
    PREFIX_MAX,
    InvoiceKind,
    InvoicePeriod,
    InvoiceStatus,
)
from haulier.contexts.billing.ledger.contract import Amount, BookReference
from haulier.contexts.billing.ledger.rules import AMOUNT_MAX, TransferKind
from haulier.contexts.billing.received_payments.contract import PaymentAllocationRecord
from haulier.contexts.billing.taxes.rules import ExemptionKind
from haulier.kernel.operations.answers import Answer, Priced, doc, sums_price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NAME_MAX, NO_NUL, NOTE_MAX, EmailText, OneLine, Reason, RecordId
from haulier.kernel.operations.ids import IssuedDocumentId, LedgerTransferId
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.taxes import BASIS_POINTS

ADDRESS_LINES_MAX = 8
TERM_DAYS_MAX = 365
Line = Annotated[str, Field(min_length=1, max_length=NAME_MAX, pattern=NO_NUL), OneLine]
AddressLines = Annotated[list[Line], Field(max_length=ADDRESS_LINES_MAX)]
TaxRate = Annotated[int, Field(ge=0, le=BASIS_POINTS, examples=[1300])]
Prefix = Annotated[str, Field(max_length=PREFIX_MAX, pattern="^[A-Za-z0-9/_-]*$")]


class DunningStep(Request):
    """Dunning step: a reminder about an overdue invoice."""

    days_overdue: int = Field(ge=1, le=TERM_DAYS_MAX, examples=[7])
    """Number of days after the due date."""
    fee_minor: int = Field(default=0, ge=0, le=AMOUNT_MAX, examples=[500])
    """Reminder fee in minor units. Charged only within the customer's credit limit."""


class SetInvoicingSettings(Request):
    """Invoicing settings of the business. Omitted fields are reset to their defaults."""

    invoice_prefix: Prefix = "INV-"
    """Prefix of invoice numbers."""
    credit_note_prefix: Prefix = "CN-"
    """Prefix of credit note numbers."""
    issuer_lines: AddressLines = Field(default=[], examples=[["1 Dock Road", "Toronto ON"]])
    """Lines below the business's name, such as its address and tax number."""
    tax_name: Annotated[str, Field(max_length=40, pattern=NO_NUL, examples=["HST"]), OneLine] = ""
    """Name of the tax."""
    tax_rate_bp: TaxRate = 0
    """Tax included in charges without a tax of their own, in hundredths of a percent."""
    payment_terms_days: int = Field(default=30, ge=0, le=TERM_DAYS_MAX)
    """Payment term in days."""
    payment_instructions: Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)] = Field(
        default="", examples=["Account 123, please name the invoice"]
    )
    """Payment instructions, printed on every invoice."""
    dunning: list[DunningStep] = Field(default=[], max_length=LEVELS_MAX)
    """Reminders about overdue invoices, in order. If empty, no reminders are sent."""

    @model_validator(mode="after")
    def _later_letters_come_later(self) -> Self:
        days = [each.days_overdue for each in self.dunning]
        if any(later <= earlier for earlier, later in pairwise(days)):
            raise PydanticCustomError("dunning_order", "each letter is later than the one before")
        return self


class BillingTermsRef(Request):
    """Reference to a customer's billing terms."""

    customer_id: RecordId
    """ID of the customer."""


class SetBillingTerms(BillingTermsRef):
    """Billing terms of a customer. Omitted fields are reset to their defaults."""

    period: InvoicePeriod | None = None
    """Billing cycle: `week`, `two_weeks` or `month`. If omitted, invoices are issued manually."""
    billing_day: Annotated[int, Field(ge=1, le=DAYS_OF_MONTH)] | None = None
    """First day of a new period: day of the month, or weekday from 1 (Monday) to 7. Defaults to the first."""
    automatic: bool = True
    """If false, invoices of the cycle wait for an invoice run. Otherwise they are issued on the billing day."""
    currency: Currency | None = None
    """Currency of automatic invoices. Defaults to the business's currency."""
    payment_terms_days: Annotated[int, Field(ge=0, le=TERM_DAYS_MAX)] | None = None
    """Payment term of this customer in days. Defaults to the business's setting."""
    tax_rate_bp: TaxRate | None = None
    """Tax included in this customer's charges, in hundredths of a percent; 0 for none. Defaults to the business's
    setting."""
    billing_name: Annotated[str, Field(max_length=NAME_MAX, pattern=NO_NUL), OneLine] = ""
    """Name on invoices. Defaults to the customer's name."""
    address_lines: AddressLines = Field(default=[], examples=[["10 King St W", "Toronto ON"]])
    """Lines below the name."""
    email: EmailText | None = None
    """Email address for invoices. Defaults to the customer's address."""
    dunning: bool = True
    """If true, send reminders about overdue invoices."""

    @model_validator(mode="after")
    def _is_a_weekday(self) -> Self:
        by_week = self.period in (InvoicePeriod.WEEK, InvoicePeriod.TWO_WEEKS)
        if by_week and (self.billing_day or 1) > DAYS_OF_WEEK:
            raise PydanticCustomError("billing_weekday", "a weekly billing day is 1 to 7")
        return self


class ListInvoices(PageRequest):
    """Filters of invoices. All given filters must match."""

    customer_id: RecordId | None = None
    """Filter by customer. Customers always see only their own."""
    kind: InvoiceKind | None = None
    """Filter by kind: invoices or credit notes."""
    status: InvoiceStatus | None = None
    """Filter by status."""
    overdue: bool = False
    """If true, only open invoices past their due date."""
    due_from: Day | None = None
    """Earliest due date."""
    due_to: Day | None = None
    """Latest due date."""
    currency: Currency | None = None
    """Filter by currency."""
    number: Annotated[str, Field(min_length=1, max_length=NUMBER_MAX, pattern=NO_NUL)] | None = None
    """Filter by number."""
    invoice_run_id: RecordId | None = None
    """Filter by invoice run."""


class InvoiceRef(Request):
    """Reference to an invoice."""

    invoice_id: RecordId
    """ID of the invoice or credit note."""


class ReadInvoiceFile(InvoiceRef):
    """Invoice file to read and its form."""

    form: Literal["record", "content"] = "record"
    """`record` returns the file in base64. The REST API also returns raw bytes for `Accept: application/pdf`."""


class IssueInvoice(Request):
    """Customer and period to invoice."""

    customer_id: RecordId
    """ID of the customer."""
    currency: Currency | None = None
    """Currency of the charges. Defaults to the business's currency."""
    until: Day | None = None
    """Last day of the charges, in the business's time zone. Defaults to all charges until now."""


class RecordInvoicePayment(InvoiceRef):
    """Payment received for an invoice."""

    amount_minor: Amount | None = None
    """Amount in minor units. Defaults to the remaining amount."""
    paid_by: Literal["bank", "cash", "credit"] = "bank"
    """Payment method. `credit` uses money that is already in the customer's credit."""
    reference: BookReference = Field(examples=["Transfer 2026-07-02 815"])
    """Unique reference of the payment for this invoice. A repeated reference is counted once."""


class VoidInvoice(InvoiceRef):
    """Invoice to void and the reason."""

    reason: Reason = Field(min_length=1, examples=["Made out to the wrong name."])
    """Reason for voiding the invoice."""


class SendInvoiceReminder(InvoiceRef):
    """Invoice to send a reminder about."""

    skip_paused: bool = False
    """If true, refuse invoices whose automatic reminders are paused."""


class SetInvoiceReminders(InvoiceRef):
    """Automatic reminders about an invoice."""

    enabled: bool
    """If false, no reminders are sent automatically, for example while the customer disputes the invoice."""


class CreditedCharge(Request):
    """Charge of an invoice to credit."""

    transfer_id: LedgerTransferId
    """Charge of the invoice."""
    amount_minor: Amount | None = None
    """Amount in minor units, tax included. Defaults to the remainder of the charge."""


class CreditInvoice(InvoiceRef):
    """Part of an invoice to credit."""

    amount_minor: Amount | None = None
    """Amount in minor units, tax included. Defaults to the remainder of the invoice or of the charge in `transfer_id`."""
    transfer_id: LedgerTransferId | None = None
    """Charge of the invoice to credit. Defaults to all its charges, in order."""
    charges: Annotated[list[CreditedCharge], Field(min_length=1, max_length=LINES_MAX)] | None = None
    """Charges to credit in one credit note, each once. Replaces `amount_minor` and `transfer_id`."""
    reason: Reason = Field(min_length=1, examples=["Two parcels came late."])
    """Reason for the credit note. Visible to the customer."""

    @model_validator(mode="after")
    def _names_charges_once(self) -> Self:
        ids = [each.transfer_id for each in self.charges or ()]
        if ids and (self.amount_minor is not None or self.transfer_id is not None):
            raise PydanticCustomError("credit_by_charges", "amount_minor and transfer_id are given by charge")
        if len(set(ids)) < len(ids):
            raise PydanticCustomError("charges_once", "each charge once")
        return self


class DunningStepRecord(Answer):
    """Reminder about an overdue invoice."""

    days_overdue: int
    fee_minor: int


class InvoicingSettings(Answer):
    """Invoicing settings of the business."""

    result: bool = True
    invoice_prefix: str
    credit_note_prefix: str
    issuer_lines: list[str]
    tax_name: str
    tax_rate_bp: Annotated[int, doc("Tax included in charges without a tax of their own, in hundredths of a percent.")]
    payment_terms_days: int
    payment_instructions: str
    dunning: list[DunningStepRecord]


class BillingTerms(Answer):
    """Billing terms of a customer."""

    result: bool = True
    customer_id: int
    period: InvoicePeriod | None
    credit_currency: Annotated[str, doc("Currency of automatic invoices (ISO 4217).", "CAD")]
    payment_terms_days: Annotated[int | None, doc("Payment term in days. Null for the business's setting.")]
    tax_rate_bp: Annotated[int | None, doc("Tax in hundredths of a percent. Null for the business's setting.")]
    billing_name: str
    address_lines: list[str]
    email: str | None
    dunning: bool
    billing_day: Annotated[int | None, doc("First day of a new period: day of the month, or weekday from 1 (Monday).")]
    automatic: Annotated[bool, doc("False if invoices of the cycle wait for an invoice run.")]
    next_invoice_on: Annotated[date | None, doc("Day on which the next invoice is due.")]


class InvoiceSummary(Priced):
    """Invoice or credit note in a list."""

    id: int
    number: Annotated[str, doc("Number, consecutive within the business.", "INV-000017")]
    kind: InvoiceKind
    status: InvoiceStatus
    customer_id: int
    issued_on: date
    due_on: date
    until: Annotated[date, doc("Last day of the charges.")]
    overdue: bool
    credit_currency: str
    total_minor: Annotated[int | UnsetType, doc("Amount in minor units, tax included.")] = UNSET
    tax_minor: Annotated[int | UnsetType, doc("Tax included in the total.")] = UNSET
    paid_minor: Annotated[int | UnsetType, sums_price("Amount paid.")] = UNSET
    credited_minor: Annotated[int | UnsetType, doc("Amount credited by credit notes.")] = UNSET
    due_minor: Annotated[int | UnsetType, sums_price("Amount still to pay.")] = UNSET
    refers_to: Annotated[int | None, doc("Invoice that a credit note refers to.")]
    invoice_run_id: Annotated[int | None, doc("Run that issued the invoice.")]
    dunning_level: Annotated[int, doc("Number of reminders sent.")]
    reminders_enabled: Annotated[bool, doc("False while automatic reminders are paused.")]
    sent_at: Annotated[datetime | None, doc("Time of the last email.")]


class LineTax(Answer):
    """Tax within a line."""

    name: Annotated[str, doc("Name of the tax.", "HST")]
    rate_bp: Annotated[int, doc("Rate in hundredths of a percent, rounded.", 1300)]
    rate_ppm: Annotated[int, doc("Exact rate in parts per million.", 130_000)]
    amount_minor: Annotated[int, doc("Tax in minor units. Negative for refunds.")]


class InvoiceTax(Answer):
    """Tax of one name and rate on an invoice or credit note."""

    name: Annotated[str, doc("Name of the tax. Empty for untaxed amounts.", "HST")]
    rate_bp: Annotated[int, doc("Rate in hundredths of a percent, rounded.", 1300)]
    rate_ppm: Annotated[int, doc("Exact rate in parts per million.", 130_000)]
    net_minor: Annotated[int, doc("Taxed amount in minor units, without the tax.")]
    amount_minor: Annotated[int, doc("Tax in minor units. Negative for refunds.")]


class InvoiceLineRecord(Priced):
    """Charge, or refund of a charge, on an invoice."""

    transfer_id: Annotated[LedgerTransferId | None, doc("ID of the ledger transfer.")]
    charge_id: Annotated[int | None, doc("Credited charge's transfer, on a credit note.")]
    kind: TransferKind
    at: datetime
    amount_minor: Annotated[int | UnsetType, doc("Amount in minor units. Negative for refunds.")] = UNSET
    refundable_minor: Annotated[
        int | UnsetType | None, doc("Amount of the charge that can still be refunded or credited. Null for refunds.")
    ] = UNSET
    subject_kind: Annotated[str | None, doc("Kind of the charged record, such as `label`.")]
    subject_id: int | None
    item: Annotated[str | None, doc("Charged service.", "Standard")]
    reference: Annotated[str | None, doc("Customer's reference of the charged record.", "A-1001")]
    recipient: str | None
    serviced_on: Annotated[date | None, doc("Day of the service.")]
    taxes: Annotated[
        list[LineTax] | UnsetType | None, doc("Taxes within the amount. Null for the default tax of the invoice.")
    ] = UNSET
    exemption_kind: Annotated[ExemptionKind | None, doc("Reason why the customer pays no tax.")]
    exemption_number: Annotated[str | None, doc("Number of the exemption certificate, or VAT number.")]
    reason: str | None


class DunningLetterRecord(Priced):
    """Reminder about an overdue invoice."""

    level: int
    days_overdue: int
    fee_minor: Annotated[int | UnsetType, doc("Fee charged for the reminder.")] = UNSET
    written_at: datetime


class InvoiceDetail(InvoiceSummary):
    """An invoice or credit note."""

    billing_name: str
    address_lines: list[str]
    tax_name: str
    tax_rate_bp: Annotated[int, doc("Default rate of charges without a tax of their own.")]
    taxes: Annotated[list[InvoiceTax] | UnsetType, doc("Taxes by name and rate.")] = UNSET
    reason: Annotated[str | None, doc("Reason for voiding the invoice, or for the credit note.")]
    lines: list[InvoiceLineRecord]
    letters: list[DunningLetterRecord]
    allocations: Annotated[list[PaymentAllocationRecord], doc("Payments and other credit that pay the invoice.")]
    document_id: Annotated[IssuedDocumentId | None, doc("Signed PDF. Null if the business does not sign documents.")]
    paid_at: datetime | None
    voided_at: datetime | None


class InvoiceAnswer(Answer):
    """Single invoice."""

    result: bool = True
    invoice: InvoiceDetail


class CreditNoteAnswer(Priced):
    """Credit note, and its effect on the money of the customer."""

    result: bool = True
    invoice: InvoiceDetail
    credit_currency: str
    due_reduced_minor: Annotated[
        int | UnsetType, sums_price("Amount by which less is due on the credited invoice.")
    ] = UNSET
    to_credit_minor: Annotated[
        int | UnsetType, sums_price("Amount that was already paid and is credit of the customer again.")
    ] = UNSET


class ReminderAnswer(InvoiceAnswer):
    """Invoice after a reminder."""

    message: Annotated[str, doc("Level and fee of the reminder.", "INV-000017: reminder 1 sent.")]


class InvoiceList(PagedAnswer):
    """A page of invoices and credit notes, newest first."""

    invoices: list[InvoiceSummary]


class InvoiceFile(Answer):
    """The signed PDF of an invoice."""

    result: bool = True
    number: str
    media_type: Annotated[str, doc("", "application/pdf")]
    content: Annotated[str, doc("File content in base64.")]
