"""Request and response models for the accounting journal."""

from datetime import date
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.billing.journal.rules import NUMBER_MAX, JournalAccount, JournalEntryKind
from haulier.contexts.billing.taxes.rules import TAX_NAME_MAX
from haulier.kernel.operations.answers import Answer, Priced, doc, sums_price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, OneLine
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH

PAGE_MAX = 500
AccountNumber = Annotated[str, Field(min_length=1, max_length=NUMBER_MAX, pattern="^[A-Za-z0-9._-]+$")]


class JournalPeriod(Request):
    """First and last day of a period."""

    date_from: Day | None = None
    """First day. Defaults to the first day of the month of the last day."""
    date_to: Day | None = None
    """Last day. Defaults to today in the time zone of the business."""

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Self:
        if self.date_from and self.date_to and self.date_to < self.date_from:
            raise PydanticCustomError("tax_period_inverted", "the last day must not be before the first")
        return self

    def days(self, today: date) -> tuple[date, date]:
        """Return the first and last day, by default of the current month."""
        last = self.date_to or max(today, self.date_from or today)
        return self.date_from or last.replace(day=1), last


class ListJournalEntries(JournalPeriod):
    """Period of the journal, its page and format."""

    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH)] | None = None
    """`next_cursor` of the previous page."""
    per_page: int = Field(default=200, ge=1, le=PAGE_MAX)
    """Maximum number of entries per page."""
    format: Literal["csv", "fec"] | None = None
    """`csv` adds the page as CSV with one line per account, `fec` as a file in the French FEC format. The first page
    has a header line."""


class AccountNumberOf(Request):
    """Number of an account."""

    account: JournalAccount
    """Account of the journal."""
    number: AccountNumber = Field(examples=["8400"])
    """Number in the chart of accounts of the business."""


class TaxAccountNumber(Request):
    """Account number of a tax."""

    name: Annotated[str, Field(min_length=1, max_length=TAX_NAME_MAX, pattern=NO_NUL, examples=["VAT"]), OneLine]
    """Name of the tax on invoices."""
    rate_bp: Annotated[int, Field(ge=0, le=10_000, examples=[1900])]
    """Rate in hundredths of a percent."""
    number: AccountNumber = Field(examples=["1776"])
    """Number in the chart of accounts of the business."""


class SetJournalSettings(Request):
    """Account numbers. Omitted accounts are reset to their defaults."""

    accounts: list[AccountNumberOf] = Field(default=[], max_length=len(JournalAccount))
    """Numbers of accounts that differ from the defaults."""
    tax_accounts: list[TaxAccountNumber] = Field(default=[], max_length=100)
    """Numbers of taxes with an account of their own. Other taxes use the account `tax`."""


class CloseJournalPeriod(Request):
    """Period to close."""

    closed_until: Day
    """Last day of the period. It must be over."""


class JournalLine(Priced):
    """Account of an entry with its debit or credit."""

    account: JournalAccount
    account_number: Annotated[str, doc("Number in the chart of accounts.", "4000")]
    tax_name: str | None
    tax_rate_bp: Annotated[int | None, doc("Rate of the tax in hundredths of a percent, rounded.", 1900)]
    tax_rate_ppm: Annotated[int | None, doc("Exact rate of the tax in parts per million.", 190_000)]
    debit_minor: Annotated[int | UnsetType, sums_price("Debit in minor units, or 0.")] = UNSET
    credit_minor: Annotated[int | UnsetType, sums_price("Credit in minor units, or 0.")] = UNSET


class AccountingEntry(Priced):
    """Entry with equal debit and credit."""

    number: Annotated[str, doc("Stable number, unique within the business.", "T1024")]
    kind: JournalEntryKind
    day: date
    document_number: Annotated[str | None, doc("Number of the invoice or credit note.", "INV-000017")]
    customer_id: int | None
    credit_currency: str
    description: str
    debit_account: Annotated[str, doc("Account numbers of the debit side, separated by commas.", "1200")]
    credit_account: Annotated[str, doc("Account numbers of the credit side, separated by commas.", "4000")]
    amount_minor: Annotated[int | UnsetType, sums_price("Sum of each side, in minor units.")] = UNSET
    lines: list[JournalLine]


class JournalEntryList(Priced):
    """A page of the journal: transfers in order, then taxes of documents."""

    result: bool = True
    entries: list[AccountingEntry]
    next_cursor: Annotated[str | None, doc("Cursor of the next page. Null at the end of the list.")]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, sums_price("Page as a base64-encoded file, if `format` requests it.")] = UNSET


class NumberedAccount(Answer):
    """Account with its number."""

    account: JournalAccount
    number: str


class NumberedTaxAccount(Answer):
    """Tax with its account number."""

    name: str
    rate_bp: Annotated[int, doc("Rate in hundredths of a percent.", 1900)]
    number: str


class JournalSettings(Answer):
    """Account numbers and the last closed day."""

    result: bool = True
    accounts: list[NumberedAccount]
    tax_accounts: list[NumberedTaxAccount]
    closed_until: Annotated[date | None, doc("Last day of the closed periods. Null if none is closed.")]
