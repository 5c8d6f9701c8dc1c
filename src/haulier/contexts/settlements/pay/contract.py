"""Request and response models for pay."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.settlements.pay.rules import EarningKind, PayeeKind
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import PayRateId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

AMOUNT_MAX = 10**9
PaidAmount = Annotated[int, Field(ge=0, le=AMOUNT_MAX)]
SignedAmount = Annotated[int, Field(ge=-AMOUNT_MAX, le=AMOUNT_MAX)]


class SetPayRate(Request):
    """Pay rate from a day on, in minor units of the business's currency."""

    payee_kind: PayeeKind
    """Payee kind: `contractor` or `driver`."""
    payee_id: RecordId | None = None
    """Contractor's user ID or driver's ID. If omitted, the rate applies to all payees without a rate of their own."""
    valid_from: Day
    """First route day to which the rate applies."""
    valid_to: Day | None = None
    """Last route day to which the rate applies. If omitted, it applies until another rate begins."""
    per_route_minor: PaidAmount = 0
    """Amount per finished route."""
    per_stop_minor: PaidAmount = 0
    """Amount per completed stop."""
    per_failed_stop_minor: PaidAmount = 0
    """Amount per failed stop."""
    per_km_minor: PaidAmount = 0
    """Amount per kilometre of the planned route."""

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> "SetPayRate":
        if self.valid_to and self.valid_to < self.valid_from:
            raise PydanticCustomError("pay_rate_inverted", "valid_to must not be before valid_from")
        return self


class ListPayRates(PageRequest):
    """Filters of pay rates."""

    payee_kind: PayeeKind | None = None
    """Filter by payee kind."""
    payee_id: RecordId | None = None
    """Filter by payee."""


class EndPayRate(Request):
    """Last day of a pay rate."""

    rate_id: PayRateId
    """ID of the rate."""
    last_day: Day
    """Last route day to which the rate applies."""


class ListEarnings(PageRequest):
    """Filters and format of a list of earnings."""

    date_from: Day | None = None
    """Only earnings of this day or later."""
    date_to: Day | None = None
    """Only earnings of this day or earlier."""
    payee_kind: PayeeKind | None = None
    """Filter by payee kind. Contractors always see only their own earnings."""
    payee_id: RecordId | None = None
    """Filter by payee."""
    format: Literal["csv"] | None = None
    """`csv` adds the page as a CSV document. `Accept: text/csv` returns only the document."""


class GetPayStatement(Request):
    """Payee and week of a pay statement."""

    week_of: Day
    """Any day of the week. Weeks run from Monday to Sunday."""
    payee_kind: PayeeKind | None = None
    """Payee kind: `contractor` or `driver`. Optional for contractors."""
    payee_id: RecordId | None = None
    """ID of the payee. Optional for contractors, who always get their own statement."""
    format: Literal["csv"] | None = None
    """`csv` adds the lines as a CSV document. `Accept: text/csv` returns only the document."""


class GetMyEarnings(Request):
    """Week of the caller's earnings."""

    week_of: Day | None = None
    """Any day of the week. Weeks run from Monday to Sunday. Defaults to the current week."""


class CorrectEarning(Request):
    """Correct amount of an earning."""

    earning_id: RecordId
    """ID of the earning."""
    amount_minor: SignedAmount
    """Correct amount in minor units. The difference is recorded; the original earning stays unchanged."""
    reason: Reason = Field(min_length=1, examples=["The stop failed."])
    """Reason for the correction."""


class AdjustPay(Request):
    """Payment or deduction outside the rates."""

    payee_kind: PayeeKind
    """Payee kind: `contractor` or `driver`."""
    payee_id: RecordId
    """Contractor's user ID or driver's ID."""
    amount_minor: SignedAmount
    """Amount in minor units. Negative for a deduction."""
    reason: Reason = Field(min_length=1, examples=["Bonus of the month"])
    """Reason for the payment or deduction."""
    day: Day | None = None
    """Day to which the amount belongs. Defaults to today."""


class PayRateRecord(Answer):
    """Pay rate in minor units."""

    id: int
    payee_kind: PayeeKind
    payee_id: Annotated[
        int | None, doc("ID of the payee. Null for all payees of the kind without a rate of their own.")
    ]
    valid_from: date
    valid_to: date | None
    per_route_minor: int
    per_stop_minor: int
    per_failed_stop_minor: int
    per_km_minor: int
    currency: str


class PayRateAnswer(Answer):
    """Single pay rate."""

    result: bool = True
    rate: PayRateRecord


class PayRateList(PagedAnswer):
    """Pay rates, latest start first."""

    rates: list[PayRateRecord]


class Earning(Answer):
    """Immutable earning of a contractor or driver."""

    id: int
    payee_kind: PayeeKind
    payee_id: int
    kind: EarningKind
    day: Annotated[date, doc("Day of the route.")]
    route_id: int | None
    stop_id: int | None
    order_id: int | None
    quantity: Annotated[int, doc("Quantity: 1 for a route or stop, metres for a distance.")]
    rate_minor: Annotated[int, doc("Rate per unit, or per kilometre for a distance.")]
    amount_minor: int
    currency: str
    reason: str | None
    corrects_id: Annotated[int | None, doc("Earning that this one corrects.")]
    at: Annotated[datetime, doc("Time of the work.")]
    recorded_at: datetime


class EarningAnswer(Answer):
    """New earning."""

    result: bool = True
    earning: Earning


class EarningList(PagedAnswer):
    """Earnings, oldest first."""

    earnings: list[Earning]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("Page as base64-encoded CSV, if `format` requests it.")] = UNSET


class StatementSum(Answer):
    """Weekly earnings for one kind of work."""

    kind: EarningKind
    count: int
    quantity: Annotated[int, doc("Number of routes or stops; metres for a distance.")]
    amount_minor: int


class PayStatement(Answer):
    """Weekly pay statement."""

    result: bool = True
    payee_kind: PayeeKind
    payee_id: int
    payee_name: str
    monday: date
    sunday: date
    currency: str
    total_minor: int
    sums: Annotated[list[StatementSum], doc("Sums by kind of work.")]
    lines: Annotated[list[Earning], doc("All earnings of the week, oldest first.")]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("Lines as base64-encoded CSV, if `format` requests it.")] = UNSET
