"""Request and response models for receivables."""

from datetime import date
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from haulier.kernel.operations.answers import Priced, doc, sums_price
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class GetReceivables(PageRequest):
    """Filters of receivables, and their format."""

    customer_id: RecordId | None = None
    """Filter by customer."""
    format: Literal["csv"] | None = None
    """`csv` adds all rows as CSV."""


class AgedAmounts(Priced):
    """Open amounts of invoices by days past the due date, in minor units."""

    credit_currency: str
    invoices: Annotated[int, doc("Number of open invoices.")]
    oldest_due_on: Annotated[date, doc("Earliest due date of the open invoices.")]
    not_due_minor: Annotated[int | UnsetType, sums_price("Amount that is not due yet.")] = UNSET
    days_1_30_minor: Annotated[int | UnsetType, sums_price("Amount 1 to 30 days past due.")] = UNSET
    days_31_60_minor: Annotated[int | UnsetType, sums_price("Amount 31 to 60 days past due.")] = UNSET
    days_61_90_minor: Annotated[int | UnsetType, sums_price("Amount 61 to 90 days past due.")] = UNSET
    days_over_90_minor: Annotated[int | UnsetType, sums_price("Amount more than 90 days past due.")] = UNSET
    overdue_minor: Annotated[int | UnsetType, sums_price("Amount past due.")] = UNSET
    due_minor: Annotated[int | UnsetType, sums_price("Amount still to pay.")] = UNSET


class CustomerReceivables(AgedAmounts, kw_only=True):
    """Open invoices of a customer in a currency, by age."""

    customer_id: int
    name: Annotated[str | None, doc("Name of the customer.", "Ada Lovelace")]


class AgeRange(Priced):
    """Due dates of an age bracket. Null is without limit."""

    name: Annotated[str, doc("Field of the amounts, without `_minor`.", "days_1_30")]
    due_from: date | None
    due_to: date | None


class ReceivableList(PagedAnswer):
    """Receivables by customer and currency, longest overdue first."""

    receivables: list[CustomerReceivables]
    sums: Annotated[list[AgedAmounts], doc("Sums of all customers, by currency.")]
    ages: Annotated[list[AgeRange], doc("Due dates of each age bracket, as `list_invoices` filters them.")]
    media_type: str = "text/csv"
    document: Annotated[
        str | UnsetType, doc("Rows as base64-encoded CSV, if `format` requests it and amounts are not hidden.")
    ] = UNSET
