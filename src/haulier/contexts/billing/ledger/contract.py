"""What goes in and out of the ledger."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.billing.ledger.rules import (
    AMOUNT_MAX,
    REFERENCE_MAX,
    SUBJECT_KIND_MAX,
    AccountKind,
    TransferKind,
)
from haulier.kernel.operations.answers import Answer, Priced, doc, sums_price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import UserId
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, MAX_PER_PAGE, PagedAnswer, PageRequest

STATEMENT_PAGE_MAX = 1000


Amount = Annotated[int, Field(ge=1, le=AMOUNT_MAX, examples=[5000])]
BookReference = Annotated[
    str, Field(min_length=1, max_length=REFERENCE_MAX, pattern=r"^[^\s\x00]([^\n\x00]*[^\s\x00])?$")
]
Cursor = Annotated[str, Field(max_length=MAX_CURSOR_LENGTH)]


class ListCustomerCredits(PageRequest):
    """Which customers."""

    customer_id: RecordId | None = None
    """This one alone."""
    currency: Currency | None = None
    """In this currency."""
    owing: bool = False
    """Only those who owe something."""


class ListLedgerAccounts(PageRequest):
    """Which accounts."""

    kind: AccountKind | None = None
    """Only those of a kind."""
    owner_id: RecordId | None = None
    """Only those of a customer, or of a driver for `driver_cash`."""
    currency: Currency | None = None
    """In this currency."""


class ListLedgerTransfers(Request):
    """Which transfers."""

    kind: TransferKind | None = None
    """Only those of a kind."""
    subject_kind: (
        Annotated[str, Field(max_length=SUBJECT_KIND_MAX, pattern="^[a-z0-9_]+$", examples=["label"])] | None
    ) = None
    """What they are about, such as label; with `subject_id`."""
    subject_id: RecordId | None = None
    """The record that they are about."""
    per_page: int = Field(default=50, ge=1, le=MAX_PER_PAGE)
    """Records on a page."""
    cursor: Cursor | None = None
    """Continues a list: `next_cursor` of the page before."""


class GetCreditStatement(Request):
    """Whose, and of which days."""

    customer_id: RecordId | None = None
    """Whose; customers leave it out and get their own."""
    currency: Currency | None = None
    """In this currency; the business's own when left out."""
    date_from: Day | None = None
    """From this day on, in the business's time zone."""
    date_to: Day | None = None
    """Up to this day."""
    per_page: int = Field(default=100, ge=1, le=STATEMENT_PAGE_MAX)
    """Entries on a page."""
    cursor: Cursor | None = None
    """Continues a statement: `next_cursor` of the page before."""
    format: Literal["csv", "pdf"] | None = None
    """csv, pdf: the page as one document too, which `Accept: text/csv` or `application/pdf` asks for alone."""


class CustomerAmount(Request):
    """Whose credit, and which currency."""

    customer_id: RecordId
    """The customer."""
    currency: Currency | None = None
    """The business's own when left out."""


class TopUpCredit(CustomerAmount):
    """Money that came from a customer."""

    amount_minor: Amount
    """In minor units."""
    paid_by: Literal["bank", "cash"] = "bank"
    """Where it came to."""
    reference: BookReference = Field(examples=["Transfer 2026-06-10 4711"])
    """What tells this payment from every other of the customer: it is counted once."""
    reason: Reason | None = Field(default=None, examples=["Paid for June in advance."])
    """What to remember of it."""


class AdjustCredit(CustomerAmount):
    """A correction."""

    amount_minor: int = Field(ge=-AMOUNT_MAX, le=AMOUNT_MAX, examples=[-250])
    """In minor units; below zero to take from the credit. Not zero."""
    reference: BookReference = Field(examples=["Complaint 88"])
    """What tells this correction from every other of the customer: it is counted once."""
    reason: Reason = Field(min_length=1, examples=["The parcel came a day late."])
    """Why; the customer reads it."""


class SetCreditLimit(CustomerAmount):
    """How much a customer may owe."""

    limit_minor: int = Field(ge=0, le=AMOUNT_MAX, examples=[100000])
    """In minor units; 0 for nothing."""


class RefundCharge(Request):
    """What is given back."""

    transfer_id: RecordId
    """The charge."""
    amount_minor: Amount | None = None
    """In minor units; what is left of it when left out."""
    reference: BookReference = Field(examples=["Complaint 88"])
    """What tells this refund from every other of the charge: it is counted once."""
    reason: Reason = Field(min_length=1, examples=["The label was never used."])
    """Why; the customer reads it."""


class CustomerCredit(Priced):
    """What a customer has with the business in one currency: balance + limit = held + available.

    Customers from whom any prices are hidden see the limit alone.
    """

    customer_id: int
    credit_currency: Annotated[str, doc("Of the amounts; ISO 4217.", "CAD")]
    balance_minor: Annotated[
        int | UnsetType, sums_price("Balance in minor units. Negative if the customer owes money.")
    ] = UNSET
    held_minor: Annotated[int | UnsetType, sums_price("Amount held for orders that are not final yet.")] = UNSET
    limit_minor: Annotated[int, doc("How far the balance may fall below zero.")]
    available_minor: Annotated[int | UnsetType, sums_price("Amount that can be spent now.")] = UNSET


class CreditHold(Priced):
    """A part of the credit that is promised."""

    hold_id: int
    credit_currency: str
    held_amount_minor: Annotated[int | UnsetType, doc("In minor units.")] = UNSET
    subject_kind: Annotated[str | None, doc("What it is for, such as label.")]
    subject_id: int | None
    expires_at: Annotated[datetime | None, doc("When it is given back by itself; null for never.")]


class AccountCredits(Answer):
    """The caller's own credit, in each currency."""

    result: bool = True
    credits: list[CustomerCredit]
    holds: list[CreditHold]


class CustomerCreditList(PagedAnswer):
    """The credit of customers."""

    credits: list[CustomerCredit]


class LedgerAccount(Answer):
    """An account in one currency."""

    kind: AccountKind
    owner_id: Annotated[int | None, doc("The customer, or the driver; null for an account of the business.")]
    credit_currency: str
    balance_minor: Annotated[int, doc("As seen from its `side`.")]
    side: Annotated[
        Literal["debit", "credit"], doc("debit: what the business has or spends; credit: what it owes or earns.")
    ]


class LedgerAccountList(PagedAnswer):
    """Accounts by kind, owner and currency."""

    accounts: list[LedgerAccount]


class LedgerTransfer(Answer):
    """Money that moved from one account to another. It never changes."""

    id: int
    kind: TransferKind
    debit: Annotated[AccountKind, doc("The account that is debited: a wallet gets less by it, cash more.")]
    debit_owner_id: int | None
    credit: Annotated[AccountKind, doc("The account that is credited: a wallet gets more by it, cash less.")]
    credit_owner_id: int | None
    amount_minor: int
    credit_currency: str
    subject_kind: str | None
    subject_id: int | None
    reason: str | None
    refund_of: Annotated[int | None, doc("The transfer that this one gives back.")]
    at: datetime
    by_user_id: Annotated[UserId | None, doc("Who did it; null for the application itself.")]


class LedgerTransferList(Answer):
    """Transfers, newest first."""

    result: bool = True
    transfers: list[LedgerTransfer]
    next_cursor: Annotated[str | None, doc("Continues the list; null at its end.")]


class StatementEntry(Priced):
    """A line of a statement."""

    transfer_id: int
    kind: TransferKind
    at: datetime
    amount_minor: Annotated[int | UnsetType, doc("Above zero for what came in.")] = UNSET
    balance_minor: Annotated[int | UnsetType, sums_price("Balance after the entry.")] = UNSET
    subject_kind: Annotated[str | None, doc("What it is about, such as label.")]
    subject_id: int | None
    reason: str | None


class CreditStatement(Priced):
    """What happened to a customer's credit: opening balance + all entries of the period = closing balance.

    Customers from whom any prices are hidden see no balances.
    """

    result: bool = True
    customer_id: int
    credit_currency: str
    date_from: date | None
    date_to: date | None
    opening_minor: Annotated[int | UnsetType, sums_price("Balance before the period.")] = UNSET
    closing_minor: Annotated[int | UnsetType, sums_price("Balance after the period.")] = UNSET
    entries: Annotated[list[StatementEntry], doc("Oldest first.")]
    next_cursor: Annotated[str | None, doc("Continues the statement; null at its end.")]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("The page as CSV or PDF, in base64; if `format` asks for it.")] = UNSET


class CreditTransferAnswer(Answer):
    """The transfer that stands in the ledger, and the credit afterwards."""

    result: bool = True
    transfer_id: int
    repeated: Annotated[bool, doc("The same was asked for before, and is counted once.")]
    credit: CustomerCredit


class CreditAnswer(Answer):
    """A customer's credit."""

    result: bool = True
    credit: CustomerCredit
