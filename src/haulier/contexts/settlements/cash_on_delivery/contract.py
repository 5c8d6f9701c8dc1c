"""Request and response models for cash on delivery."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.settlements.cash_on_delivery.rules import CodEntryKind, CodMethod
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

AMOUNT_MAX = 10**12
COD_PARTS_MAX = 5
Amount = Annotated[int, Field(ge=1, le=AMOUNT_MAX)]


class CodPayment(Request):
    """Part of a collected amount, by payment method."""

    method: CodMethod
    """Payment method: `cash`, `card` or `other`."""
    amount_minor: Amount
    """Amount in minor units of the business's currency."""


CodPayments = Annotated[list[CodPayment], Field(max_length=COD_PARTS_MAX)]


class CodPeriod(PageRequest):
    """Filters for delivered orders. All given filters must match."""

    date_from: Day | None = None
    """Only orders delivered on or after this day."""
    date_to: Day | None = None
    """Only orders delivered on or before this day."""
    driver_id: DriverId | None = None
    """Filter by delivering driver. Available to staff and contractors."""
    order_id: RecordId | None = None
    """Filter by order."""


class CodGrouping(StrEnum):
    """Grouping of report lines."""

    DRIVER = "driver"
    DAY = "day"
    ORDER = "order"


class GetCodReport(CodPeriod):
    """Filters and grouping of the cash-on-delivery report."""

    group_by: CodGrouping = CodGrouping.ORDER
    """Grouping of the lines. Customers cannot group by driver."""


class ListCodEntries(CodPeriod):
    """Filters and format of a list of entries."""

    format: Literal["csv"] | None = None
    """`csv` adds the page as a CSV document. `Accept: text/csv` returns only the document."""


class GetMyCash(Request):
    """Day of a driver's own cash."""

    day: Day | None = None
    """Day of the listed entries in the business's time zone. Defaults to today."""


class HandInCash(Request):
    """Cash that a driver hands in."""

    driver_id: DriverId
    """ID of the driver."""
    counted_minor: int = Field(ge=0, le=AMOUNT_MAX, examples=[12500])
    """Counted amount in minor units."""
    settles: bool = True
    """If true, settle the whole balance and record any surplus or shortage as a difference. If false, it is a partial
    payment."""
    reason: Reason | None = Field(default=None, examples=["A note was torn."])
    """Reason for a surplus or shortage. Required if there is one."""


class OrderCodRequest(Request):
    """Reference to an order."""

    order_id: RecordId
    """ID of the order."""


class WriteOffCod(OrderCodRequest):
    """Amount to write off."""

    amount_minor: Amount | None = None
    """Amount in minor units. Defaults to the whole open amount."""
    reason: Reason = Field(min_length=1, examples=["The sender agreed to a discount."])
    """Reason for the write-off."""


class RecordCodPayment(OrderCodRequest):
    """Payment that the office received directly."""

    method: CodMethod
    """Payment method: `cash`, `card` or `other`."""
    amount_minor: Amount
    """Amount in minor units, up to the open amount."""
    reason: Reason | None = Field(default=None, examples=["Transferred the day after."])
    """Note about the payment."""


class ReverseCodEntry(Request):
    """Entry to reverse."""

    entry_id: RecordId
    """ID of the entry."""
    reason: Reason = Field(min_length=1, examples=["Typed twice."])
    """Reason for the reversal."""


class CodAmounts(Answer):
    """Cash-on-delivery amounts: due = collected + written off + open."""

    due_minor: int
    collected_minor: int
    cash_minor: Annotated[int, doc("Collected in cash.")]
    card_minor: Annotated[int, doc("Collected by card.")]
    other_minor: Annotated[int, doc("Collected by other means.")]
    written_off_minor: int
    open_minor: int


class CodReportLine(CodAmounts):
    """Report line for a driver, a day or an order."""

    driver_id: DriverId | None
    driver_name: str | None
    day: Annotated[date | None, doc("Day of delivery.")]
    order_id: int | None
    orders: Annotated[int, doc("Number of orders.")]


class CodReport(PagedAnswer):
    """Cash-on-delivery report.

    `sum` covers all lines, not only this page.
    """

    cod_currency: Annotated[str, doc("Currency of the amounts (ISO 4217).", "CAD")]
    lines: list[CodReportLine]
    sum: CodAmounts


class CodEntry(Answer):
    """Immutable cash-on-delivery entry."""

    id: int
    kind: CodEntryKind
    order_id: int | None
    driver_id: Annotated[
        DriverId | None, doc("Driver who collected, carries or handed in the money. Null for the office.")
    ]
    day: date
    method: CodMethod | None
    amount_minor: Annotated[int, doc("Amount in minor units. Negative for reversals and for missing money.")]
    cod_currency: Annotated[str, doc("Currency of the amounts (ISO 4217).", "CAD")]
    reason: str | None
    reverses_id: Annotated[int | None, doc("ID of the entry that this one reverses.")]
    at: Annotated[datetime, doc("Time of the event.")]
    recorded_at: Annotated[datetime, doc("Time at which Haulier received the report.")]


class CodEntryList(PagedAnswer):
    """Cash-on-delivery entries, oldest first."""

    entries: list[CodEntry]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("Page as base64-encoded CSV, if `format` requests it.")] = UNSET


class CodEntryAnswer(Answer):
    """New entry and the remaining amount of its order."""

    result: bool = True
    entry: CodEntry
    open_minor: Annotated[
        int | None, doc("Remaining open amount of the order. Null for entries about a driver's cash.")
    ]


class DriverCash(Answer):
    """Cash that a driver carries: collected + difference = handed in + balance."""

    driver_id: DriverId
    driver_name: str
    currency: str
    collected_minor: Annotated[int, doc("Amount collected in cash. Card and other payments are not included.")]
    handed_in_minor: int
    difference_minor: Annotated[
        int, doc("Difference between counted and expected amounts. Negative if money was missing.")
    ]
    balance_minor: Annotated[int, doc("Amount that the driver should have.")]


class DriverCashList(Answer):
    """Cash of every driver who has ever collected any."""

    result: bool = True
    drivers: list[DriverCash]


class MyCash(Answer):
    """The caller's own cash and its entries of one day."""

    result: bool = True
    cash: DriverCash
    day: date
    entries: Annotated[list[CodEntry], doc("Entries of the day, oldest first.")]


class HandedInCash(Answer):
    """Result of a cash count."""

    result: bool = True
    expected_minor: Annotated[int, doc("Amount that the driver should have had.")]
    counted_minor: int
    difference_minor: int
    cash: Annotated[DriverCash, doc("Driver's cash after the count.")]
