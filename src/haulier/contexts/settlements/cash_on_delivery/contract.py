"""What goes in and out of cash on delivery."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.settlements.cash_on_delivery.rules.entries import CodEntryKind, CodMethod
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
    """A part of what was taken."""

    method: CodMethod
    """cash, card or other."""
    amount_minor: Amount
    """In minor units of the business's currency."""


CodPayments = Annotated[list[CodPayment], Field(max_length=COD_PARTS_MAX)]


class CodPeriod(PageRequest):
    """Which orders: those delivered in a period, and of them those that match all that is given."""

    date_from: Day | None = None
    """Delivered on this day or later."""
    date_to: Day | None = None
    """Delivered on this day or earlier."""
    driver_id: DriverId | None = None
    """Delivered by this driver; the office and contractors may ask."""
    order_id: RecordId | None = None
    """This order alone."""


class CodGrouping(StrEnum):
    """What a line of the report is about."""

    DRIVER = "driver"
    DAY = "day"
    ORDER = "order"


class GetCodReport(CodPeriod):
    """Which lines."""

    group_by: CodGrouping = CodGrouping.ORDER
    """What a line is about. Customers are not told who drove."""


class ListCodEntries(CodPeriod):
    """Which entries, in which form."""

    format: Literal["csv"] | None = None
    """csv: the page as one document too, which `Accept: text/csv` asks for alone."""


class GetMyCash(Request):
    """Which day."""

    day: Day | None = None
    """The day whose entries are listed, in the business's time zone; today when left out."""


class HandInCash(Request):
    """What a driver put on the table."""

    driver_id: DriverId
    """Who."""
    counted_minor: int = Field(ge=0, le=AMOUNT_MAX, examples=[12500])
    """What was counted, in minor units."""
    settles: bool = True
    """Whether that should be everything: what is over or missing is then a difference. False for a part of it."""
    reason: Reason | None = Field(default=None, examples=["A note was torn."])
    """Why something is over or missing; needed then."""


class OrderCodRequest(Request):
    """Which order."""

    order_id: RecordId
    """The order's id."""


class WriteOffCod(OrderCodRequest):
    """What is given up."""

    amount_minor: Amount | None = None
    """In minor units; everything that is open when left out."""
    reason: Reason = Field(min_length=1, examples=["The sender agreed to a discount."])
    """Why."""


class RecordCodPayment(OrderCodRequest):
    """Money that came to the office, not to the driver."""

    method: CodMethod
    """cash, card or other."""
    amount_minor: Amount
    """In minor units; at most what is open."""
    reason: Reason | None = Field(default=None, examples=["Transferred the day after."])
    """What to remember of it."""


class ReverseCodEntry(Request):
    """The entry that is wrong."""

    entry_id: RecordId
    """The entry's id."""
    reason: Reason = Field(min_length=1, examples=["Typed twice."])
    """Why it is wrong."""


class CodAmounts(Answer):
    """What adds up: due = collected + written off + open."""

    due_minor: int
    collected_minor: int
    cash_minor: Annotated[int, doc("Of what was collected.")]
    card_minor: Annotated[int, doc("Of what was collected.")]
    other_minor: Annotated[int, doc("Of what was collected.")]
    written_off_minor: int
    open_minor: int


class CodReportLine(CodAmounts):
    """A driver, a day or an order."""

    driver_id: DriverId | None
    driver_name: str | None
    day: Annotated[date | None, doc("When the orders were delivered.")]
    order_id: int | None
    orders: Annotated[int, doc("How many orders.")]


class CodReport(PagedAnswer):
    """What was due and what became of it; `sum` is over all lines, not over this page."""

    cod_currency: Annotated[str, doc("Of the amounts; ISO 4217.", "CAD")]
    lines: list[CodReportLine]
    sum: CodAmounts


class CodEntry(Answer):
    """An entry, which never changes."""

    id: int
    kind: CodEntryKind
    order_id: int | None
    driver_id: Annotated[DriverId | None, doc("Who took, has or handed in the money; null for the office.")]
    day: date
    method: CodMethod | None
    amount_minor: Annotated[int, doc("Below zero in an entry that reverses another, and for money that is missing.")]
    cod_currency: Annotated[str, doc("Of the amounts; ISO 4217.", "CAD")]
    reason: str | None
    reverses_id: Annotated[int | None, doc("The entry that this one takes back.")]
    at: Annotated[datetime, doc("When it happened.")]
    recorded_at: Annotated[datetime, doc("When we heard of it.")]


class CodEntryList(PagedAnswer):
    """Entries, oldest first."""

    entries: list[CodEntry]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("The page as CSV, in base64; if `format` asks for it.")] = UNSET


class CodEntryAnswer(Answer):
    """The entry that was written, and how the order stands now."""

    result: bool = True
    entry: CodEntry
    open_minor: Annotated[int | None, doc("What is still open of the order; null for an entry about a driver's cash.")]


class DriverCash(Answer):
    """The cash that a driver carries: collected + difference = handed in + balance."""

    driver_id: DriverId
    driver_name: str
    currency: str
    collected_minor: Annotated[int, doc("Cash alone; cards and others never reach the driver's pocket.")]
    handed_in_minor: int
    difference_minor: Annotated[int, doc("Over what was expected when counted; below zero for what was missing.")]
    balance_minor: Annotated[int, doc("What the driver should have.")]


class DriverCashList(Answer):
    """The cash of each driver who ever took any."""

    result: bool = True
    drivers: list[DriverCash]


class MyCash(Answer):
    """The caller's own cash, and what happened to it on a day."""

    result: bool = True
    cash: DriverCash
    day: date
    entries: Annotated[list[CodEntry], doc("Of that day, oldest first.")]


class HandedInCash(Answer):
    """What a count led to."""

    result: bool = True
    expected_minor: Annotated[int, doc("What the driver should have had.")]
    counted_minor: int
    difference_minor: int
    cash: Annotated[DriverCash, doc("Afterwards.")]
