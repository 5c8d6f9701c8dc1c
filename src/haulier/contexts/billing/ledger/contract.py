"""Request and response models for the ledger."""

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
from haulier.kernel.operations.ids import LedgerOwnerId, LedgerTransferId, SubjectRecordId, UserId
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
    """Filters of customer credits."""

    customer_id: RecordId | None = None
    """Filter by customer."""
    currency: Currency | None = None
    """Filter by currency."""
    owing: bool = False
    """If true, only customers who owe money."""


class ListLedgerAccounts(PageRequest):
    """Filters of ledger accounts."""

    kind: AccountKind | None = None
    """Filter by kind."""
    owner_id: LedgerOwnerId | None = None
    """Filter by customer, or by driver for `driver_cash`."""
    currency: Currency | None = None
    """Filter by currency."""


class ListLedgerTransfers(Request):
    """Filters of ledger transfers."""

    kind: TransferKind | None = None
    """Filter by kind."""
    subject_kind: (
        Annotated[str, Field(max_length=SUBJECT_KIND_MAX, pattern="^[a-z0-9_]+$", examples=["label"])] | None
    ) = None
    """Kind of the related record, such as `label`. Requires `subject_id`."""
    subject_id: SubjectRecordId | None = None
    """ID of the related record."""
    per_page: int = Field(default=50, ge=1, le=MAX_PER_PAGE)
    """Number of records per page."""
    cursor: Cursor | None = None
    """Cursor from `next_cursor` of the previous page."""


class GetCreditStatement(Request):
    """Customer, currency and period of a statement."""

    customer_id: RecordId | None = None
    """ID of the customer. Customers omit it and get their own statement."""
    currency: Currency | None = None
    """Currency of the statement. Defaults to the business's currency."""
    date_from: Day | None = None
    """First day of the period in the business's time zone."""
    date_to: Day | None = None
    """Last day of the period."""
    per_page: int = Field(default=100, ge=1, le=STATEMENT_PAGE_MAX)
    """Number of entries per page."""
    cursor: Cursor | None = None
    """Cursor from `next_cursor` of the previous page."""
    format: Literal["csv", "pdf"] | None = None
    """`csv` or `pdf` adds the page as a document. `Accept: text/csv` or `application/pdf` returns only the document."""


class CustomerAmount(Request):
    """Customer and currency of a credit."""

    customer_id: RecordId
    """ID of the customer."""
    currency: Currency | None = None
    """Currency. Defaults to the business's currency."""


class AdjustCredit(CustomerAmount):
    """Correction of a customer's credit."""

    amount_minor: int = Field(ge=-AMOUNT_MAX, le=AMOUNT_MAX, examples=[-250])
    """Amount in minor units. Negative to reduce the credit. Must not be zero."""
    reference: BookReference = Field(examples=["Complaint 88"])
    """Unique reference of the correction for this customer. A repeated reference is counted once."""
    reason: Reason = Field(min_length=1, examples=["The parcel came a day late."])
    """Reason for the correction. Visible to the customer."""


class SetCreditLimit(CustomerAmount):
    """Credit limit of a customer."""

    limit_minor: int = Field(ge=0, le=AMOUNT_MAX, examples=[100000])
    """Credit limit in minor units. 0 allows no debt."""


class RefundCharge(Request):
    """Charge to refund and the amount."""

    transfer_id: LedgerTransferId
    """ID of the charge's transfer."""
    amount_minor: Amount | None = None
    """Amount in minor units. Defaults to the remaining amount."""
    reference: BookReference = Field(examples=["Complaint 88"])
    """Unique reference of the refund for this charge. A repeated reference is counted once."""
    reason: Reason = Field(min_length=1, examples=["The label was never used."])
    """Reason for the refund. Visible to the customer."""


class CustomerCredit(Priced):
    """Credit of a customer in one currency: balance + limit = held + available.

    Customers from whom any prices are hidden see only the limit.
    """

    customer_id: int
    credit_currency: Annotated[str, doc("Currency of the amounts (ISO 4217).", "CAD")]
    balance_minor: Annotated[
        int | UnsetType, sums_price("Balance in minor units. Negative if the customer owes money.")
    ] = UNSET
    held_minor: Annotated[int | UnsetType, sums_price("Amount held for orders that are not final yet.")] = UNSET
    limit_minor: Annotated[int, doc("Amount by which the balance may fall below zero.")]
    available_minor: Annotated[int | UnsetType, sums_price("Amount that can be spent now.")] = UNSET


class CreditHold(Priced):
    """Reserved part of a credit."""

    hold_id: int
    credit_currency: str
    held_amount_minor: Annotated[int | UnsetType, doc("Held amount in minor units.")] = UNSET
    subject_kind: Annotated[str | None, doc("Kind of the related record, such as `label`.")]
    subject_id: SubjectRecordId | None
    expires_at: Annotated[datetime | None, doc("Time at which the hold is released automatically. Null for never.")]


class AccountCredits(Answer):
    """The caller's own credit in each currency."""

    result: bool = True
    credits: list[CustomerCredit]
    holds: list[CreditHold]


class CustomerCreditList(PagedAnswer):
    """Credits of customers."""

    credits: list[CustomerCredit]


class LedgerAccount(Answer):
    """Ledger account in one currency."""

    kind: AccountKind
    owner_id: Annotated[LedgerOwnerId | None, doc("Customer or driver. Null for an account of the business.")]
    credit_currency: str
    balance_minor: Annotated[int, doc("Balance as seen from the account's `side`.")]
    side: Annotated[
        Literal["debit", "credit"], doc("`debit` for assets and expenses, `credit` for liabilities and income.")
    ]


class LedgerAccountList(PagedAnswer):
    """Accounts by kind, owner and currency."""

    accounts: list[LedgerAccount]


class LedgerTransfer(Answer):
    """Immutable transfer of money between two accounts."""

    id: int
    kind: TransferKind
    debit: Annotated[AccountKind, doc("Debited account. A debit decreases a wallet and increases cash.")]
    debit_owner_id: int | None
    credit: Annotated[AccountKind, doc("Credited account. A credit increases a wallet and decreases cash.")]
    credit_owner_id: int | None
    amount_minor: int
    credit_currency: str
    subject_kind: str | None
    subject_id: SubjectRecordId | None
    reason: str | None
    refund_of: Annotated[int | None, doc("ID of the transfer that this one refunds.")]
    refundable_minor: Annotated[
        int | None, doc("Amount of a charge that can still be refunded. Null for other transfers.")
    ]
    at: datetime
    by_user_id: Annotated[UserId | None, doc("User who made the transfer. Null for the application itself.")]


class LedgerTransferList(Answer):
    """Transfers, newest first."""

    result: bool = True
    transfers: list[LedgerTransfer]
    next_cursor: Annotated[str | None, doc("Cursor of the next page. Null at the end of the list.")]


class StatementEntry(Priced):
    """Line of a statement."""

    transfer_id: LedgerTransferId
    kind: TransferKind
    at: datetime
    amount_minor: Annotated[int | UnsetType, doc("Amount in minor units. Positive for incoming money.")] = UNSET
    balance_minor: Annotated[int | UnsetType, sums_price("Balance after the entry.")] = UNSET
    subject_kind: Annotated[str | None, doc("Kind of the related record, such as `label`.")]
    subject_id: SubjectRecordId | None
    reason: str | None


class CreditStatement(Priced):
    """Statement of a customer's credit: opening balance + entries = closing balance.

    Customers from whom any prices are hidden see no balances.
    """

    result: bool = True
    customer_id: int
    credit_currency: str
    date_from: date | None
    date_to: date | None
    opening_minor: Annotated[int | UnsetType, sums_price("Balance before the period.")] = UNSET
    closing_minor: Annotated[int | UnsetType, sums_price("Balance after the period.")] = UNSET
    entries: Annotated[list[StatementEntry], doc("Entries, oldest first.")]
    next_cursor: Annotated[str | None, doc("Cursor of the next page. Null at the end of the statement.")]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("Page as base64-encoded CSV or PDF, if `format` requests it.")] = UNSET


class CreditTransferAnswer(Answer):
    """Ledger transfer and the credit after it."""

    result: bool = True
    transfer_id: LedgerTransferId
    repeated: Annotated[bool, doc("If true, the same request was made before and is counted once.")]
    credit: CustomerCredit


class CreditAnswer(Answer):
    """Credit of a customer."""

    result: bool = True
    credit: CustomerCredit
