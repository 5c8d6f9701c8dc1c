"""What goes in and out of invoices."""

from datetime import date, datetime
from itertools import pairwise
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.billing.invoices.rules.invoices import (
    BASIS_POINTS,
    LEVELS_MAX,
    NUMBER_MAX,
    PREFIX_MAX,
    InvoiceKind,
    InvoicePeriod,
    InvoiceStatus,
)
from haulier.contexts.billing.ledger.contract import Amount, BookReference
from haulier.contexts.billing.ledger.rules import AMOUNT_MAX, TransferKind
from haulier.kernel.operations.answers import Answer, Priced, doc, sums_price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NAME_MAX, NO_NUL, NOTE_MAX, EmailText, OneLine, Reason, RecordId
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

ADDRESS_LINES_MAX = 8
TERM_DAYS_MAX = 365
Line = Annotated[str, Field(min_length=1, max_length=NAME_MAX, pattern=NO_NUL), OneLine]
AddressLines = Annotated[list[Line], Field(max_length=ADDRESS_LINES_MAX)]
TaxRate = Annotated[int, Field(ge=0, le=BASIS_POINTS, examples=[1300])]
Prefix = Annotated[str, Field(max_length=PREFIX_MAX, pattern="^[A-Za-z0-9/_-]*$")]


class DunningStep(Request):
    """A letter to whoever does not pay."""

    days_overdue: int = Field(ge=1, le=TERM_DAYS_MAX, examples=[7])
    """So many days after the invoice was due."""
    fee_minor: int = Field(default=0, ge=0, le=AMOUNT_MAX, examples=[500])
    """What it costs the customer, in minor units; charged where their credit limit allows it."""


class SetInvoicingSettings(Request):
    """How the business bills. What is left out has its default."""

    invoice_prefix: Prefix = "INV-"
    """What numbers of invoices begin with."""
    credit_note_prefix: Prefix = "CN-"
    """What numbers of credit notes begin with."""
    issuer_lines: AddressLines = Field(default=[], examples=[["1 Dock Road", "Toronto ON"]])
    """What stands under the business's name: its address, its tax number."""
    tax_name: Annotated[str, Field(max_length=40, pattern=NO_NUL, examples=["HST"]), OneLine] = ""
    """What the tax is called."""
    tax_rate_bp: TaxRate = 0
    """The tax that charges contain, in hundredths of a percent."""
    payment_terms_days: int = Field(default=30, ge=0, le=TERM_DAYS_MAX)
    """Within so many days an invoice is to be paid."""
    payment_instructions: Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)] = Field(
        default="", examples=["Account 123, please name the invoice"]
    )
    """How it is to be paid; printed on every invoice."""
    dunning: list[DunningStep] = Field(default=[], max_length=LEVELS_MAX)
    """Letters to whoever does not pay, the first one first; none where it is empty."""

    @model_validator(mode="after")
    def _later_letters_come_later(self) -> Self:
        days = [each.days_overdue for each in self.dunning]
        if any(later <= earlier for earlier, later in pairwise(days)):
            raise PydanticCustomError("dunning_order", "each letter is later than the one before")
        return self


class BillingTermsRef(Request):
    """Whose terms."""

    customer_id: RecordId
    """The customer."""


class SetBillingTerms(BillingTermsRef):
    """How a customer is billed. What is left out has its default."""

    period: InvoicePeriod | None = None
    """How often an invoice is made by itself: week, month; never when left out."""
    currency: Currency | None = None
    """Of what is billed by itself; the business's own when left out."""
    payment_terms_days: Annotated[int, Field(ge=0, le=TERM_DAYS_MAX)] | None = None
    """Within so many days their invoices are to be paid; as for everybody when left out."""
    tax_rate_bp: TaxRate | None = None
    """The tax that their charges contain, in hundredths of a percent: 0 for none; as for everybody when left out."""
    billing_name: Annotated[str, Field(max_length=NAME_MAX, pattern=NO_NUL), OneLine] = ""
    """To whom invoices are made out; the customer's name when left out."""
    address_lines: AddressLines = Field(default=[], examples=[["10 King St W", "Toronto ON"]])
    """What stands under the name."""
    email: EmailText | None = None
    """Where invoices are sent; the customer's own address when left out."""
    dunning: bool = True
    """Whether they get letters when they do not pay."""


class ListInvoices(PageRequest):
    """Which invoices; one must match all that is given."""

    customer_id: RecordId | None = None
    """Of this customer; customers get their own."""
    kind: InvoiceKind | None = None
    """Only invoices, or only credit notes."""
    status: InvoiceStatus | None = None
    """In this status."""
    overdue: bool = False
    """Only open ones that should be paid by now."""
    number: Annotated[str, Field(min_length=1, max_length=NUMBER_MAX, pattern=NO_NUL)] | None = None
    """With this number."""


class InvoiceRef(Request):
    """Which invoice."""

    invoice_id: RecordId
    """The invoice, or credit note."""


class ReadInvoiceFile(InvoiceRef):
    """Which invoice, in which form."""

    form: Literal["record", "content"] = "record"
    """`record` has the file in base64. The REST door alone sends the bare bytes, for `Accept: application/pdf`."""


class IssueInvoice(Request):
    """Whose charges are billed."""

    customer_id: RecordId
    """The customer."""
    currency: Currency | None = None
    """In this currency; the business's own when left out."""
    until: Day | None = None
    """Charges up to this day, in the business's time zone; all up to now when left out."""


class RecordInvoicePayment(InvoiceRef):
    """Money that came for an invoice."""

    amount_minor: Amount | None = None
    """In minor units; all that is left to pay when left out."""
    paid_by: Literal["bank", "cash", "credit"] = "bank"
    """Where it came to. credit: it is in the customer's credit already."""
    reference: BookReference = Field(examples=["Transfer 2026-07-02 815"])
    """What tells this payment from every other of the invoice: it is counted once."""


class VoidInvoice(InvoiceRef):
    """What is withdrawn, and why."""

    reason: Reason = Field(min_length=1, examples=["Made out to the wrong name."])
    """Why."""


class CreditInvoice(InvoiceRef):
    """What is taken back of an invoice."""

    amount_minor: Amount | None = None
    """Amount in minor units, tax included. Defaults to what is left of the invoice, or of the charge in `transfer_id`."""
    transfer_id: RecordId | None = None
    """Credit only this charge of the invoice. Defaults to all of its charges, in their order."""
    reason: Reason = Field(min_length=1, examples=["Two parcels came late."])
    """Why; the customer reads it."""


class DunningStepRecord(Answer):
    """A letter to whoever does not pay."""

    days_overdue: int
    fee_minor: int


class InvoicingSettings(Answer):
    """How the business bills."""

    result: bool = True
    invoice_prefix: str
    credit_note_prefix: str
    issuer_lines: list[str]
    tax_name: str
    tax_rate_bp: Annotated[int, doc("In hundredths of a percent; contained in charges.")]
    payment_terms_days: int
    payment_instructions: str
    dunning: list[DunningStepRecord]


class BillingTerms(Answer):
    """How a customer is billed."""

    result: bool = True
    customer_id: int
    period: InvoicePeriod | None
    credit_currency: Annotated[str, doc("Of what is billed by itself; ISO 4217.", "CAD")]
    payment_terms_days: Annotated[int | None, doc("Null: as for everybody.")]
    tax_rate_bp: Annotated[int | None, doc("Null: as for everybody.")]
    billing_name: str
    address_lines: list[str]
    email: str | None
    dunning: bool
    next_invoice_on: Annotated[date | None, doc("When the next invoice is made by itself.")]


class InvoiceSummary(Priced):
    """An invoice or credit note in a list."""

    id: int
    number: Annotated[str, doc("Without gaps within the business.", "INV-000017")]
    kind: InvoiceKind
    status: InvoiceStatus
    customer_id: int
    issued_on: date
    due_on: date
    until: Annotated[date, doc("Charges up to this day.")]
    overdue: bool
    credit_currency: str
    total_minor: Annotated[int | UnsetType, doc("In minor units, tax included.")] = UNSET
    tax_minor: Annotated[int | UnsetType, doc("The tax in it.")] = UNSET
    paid_minor: Annotated[int | UnsetType, sums_price("Amount paid.")] = UNSET
    credited_minor: Annotated[int | UnsetType, doc("What was taken back by credit notes.")] = UNSET
    due_minor: Annotated[int | UnsetType, sums_price("Amount still to pay.")] = UNSET
    refers_to: Annotated[int | None, doc("The invoice of which a credit note takes something back.")]
    dunning_level: Annotated[int, doc("How many letters were written because it was not paid.")]
    sent_at: Annotated[datetime | None, doc("When it was last sent by e-mail.")]


class InvoiceLineRecord(Priced):
    """A charge, or what was given back of one."""

    transfer_id: Annotated[int | None, doc("The transfer in the ledger.")]
    charge_id: Annotated[int | None, doc("On a credit note: the transfer of the charge that is given back.")]
    kind: TransferKind
    at: datetime
    amount_minor: Annotated[int | UnsetType, doc("Below zero for what was given back.")] = UNSET
    subject_kind: Annotated[str | None, doc("What it is about, such as label.")]
    subject_id: int | None
    reason: str | None


class DunningLetterRecord(Priced):
    """A letter about an invoice that was not paid."""

    level: int
    days_overdue: int
    fee_minor: Annotated[int | UnsetType, doc("What was charged for it.")] = UNSET
    written_at: datetime


class InvoiceDetail(InvoiceSummary):
    """An invoice or credit note."""

    billing_name: str
    address_lines: list[str]
    tax_name: str
    tax_rate_bp: int
    reason: Annotated[str | None, doc("Why it was voided, or what a credit note is for.")]
    lines: list[InvoiceLineRecord]
    letters: list[DunningLetterRecord]
    document_id: Annotated[int | None, doc("Its signed PDF; null where the business does not sign documents.")]
    paid_at: datetime | None
    voided_at: datetime | None


class InvoiceAnswer(Answer):
    """One invoice."""

    result: bool = True
    invoice: InvoiceDetail


class InvoiceList(PagedAnswer):
    """A page of invoices and credit notes, newest first."""

    invoices: list[InvoiceSummary]


class InvoiceFile(Answer):
    """The signed PDF of an invoice."""

    result: bool = True
    number: str
    media_type: Annotated[str, doc("", "application/pdf")]
    content: Annotated[str, doc("The file in base64.")]
