"""What goes in and out of pay."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.settlements.pay.rules import EarningKind, PayeeKind
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

AMOUNT_MAX = 10**9
PaidAmount = Annotated[int, Field(ge=0, le=AMOUNT_MAX)]
SignedAmount = Annotated[int, Field(ge=-AMOUNT_MAX, le=AMOUNT_MAX)]


class SetPayRate(Request):
    """What somebody is paid from a day on, in minor units of the business's currency."""

    payee_kind: PayeeKind
    """contractor or driver."""
    payee_id: RecordId | None = None
    """A contractor's user id or a driver's id; left out, it holds for all who have no rate of their own."""
    valid_from: Day
    """The first day of routes that it pays for."""
    valid_to: Day | None = None
    """The last one; without it, until another rate begins."""
    per_route_minor: PaidAmount = 0
    """For a route that was finished."""
    per_stop_minor: PaidAmount = 0
    """For a stop where something changed hands."""
    per_failed_stop_minor: PaidAmount = 0
    """For a stop that failed."""
    per_km_minor: PaidAmount = 0
    """For a kilometre of the planned route."""

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> "SetPayRate":
        if self.valid_to and self.valid_to < self.valid_from:
            raise PydanticCustomError("pay_rate_inverted", "valid_to must not be before valid_from")
        return self


class ListPayRates(PageRequest):
    """Whose rates."""

    payee_kind: PayeeKind | None = None
    """Only those of contractors, or of drivers."""
    payee_id: RecordId | None = None
    """Only those of this one."""


class EndPayRate(Request):
    """The last day of a rate."""

    rate_id: RecordId
    """The rate's id."""
    last_day: Day
    """The last day of routes that it pays for."""


class ListEarnings(PageRequest):
    """Which earnings, in which form."""

    date_from: Day | None = None
    """Of this day or later."""
    date_to: Day | None = None
    """Of this day or earlier."""
    payee_kind: PayeeKind | None = None
    """Only those of contractors, or of drivers. Contractors read their own in any case."""
    payee_id: RecordId | None = None
    """Only those of this one."""
    format: Literal["csv"] | None = None
    """csv: the page as one document too, which `Accept: text/csv` asks for alone."""


class GetPayStatement(Request):
    """Whose statement of which week."""

    week_of: Day
    """Any day of the week, which runs from Monday to Sunday."""
    payee_kind: PayeeKind | None = None
    """contractor or driver; contractors may leave it out."""
    payee_id: RecordId | None = None
    """Whose; contractors may leave it out, and get their own in any case."""
    format: Literal["csv"] | None = None
    """csv: the lines as one document too, which `Accept: text/csv` asks for alone."""


class GetMyEarnings(Request):
    """Which week."""

    week_of: Day | None = None
    """Any day of the week, which runs from Monday to Sunday; the current one when left out."""


class CorrectEarning(Request):
    """What an earning should have been."""

    earning_id: RecordId
    """The earning's id."""
    amount_minor: SignedAmount
    """The right amount; the difference is written, and the earning stays as it was."""
    reason: Reason = Field(min_length=1, examples=["The stop failed."])
    """Why."""


class AdjustPay(Request):
    """Something paid or kept back besides the rates."""

    payee_kind: PayeeKind
    """contractor or driver."""
    payee_id: RecordId
    """A contractor's user id or a driver's id."""
    amount_minor: SignedAmount
    """Below zero for what is kept back."""
    reason: Reason = Field(min_length=1, examples=["Bonus of the month"])
    """What for."""
    day: Day | None = None
    """The day that it belongs to; today when left out."""


class PayRateRecord(Answer):
    """What somebody is paid, in minor units."""

    id: int
    payee_kind: PayeeKind
    payee_id: Annotated[int | None, doc("Null for all of the kind who have no rate of their own.")]
    valid_from: date
    valid_to: date | None
    per_route_minor: int
    per_stop_minor: int
    per_failed_stop_minor: int
    per_km_minor: int
    currency: str


class PayRateAnswer(Answer):
    """One rate."""

    result: bool = True
    rate: PayRateRecord


class PayRateList(PagedAnswer):
    """Rates, the one that began last comes first."""

    rates: list[PayRateRecord]


class Earning(Answer):
    """What somebody earned, written once."""

    id: int
    payee_kind: PayeeKind
    payee_id: int
    kind: EarningKind
    day: Annotated[date, doc("The day of the route.")]
    route_id: int | None
    stop_id: int | None
    order_id: int | None
    quantity: Annotated[int, doc("1 for a route or stop; metres for a distance.")]
    rate_minor: Annotated[int, doc("What was paid for one, or for a kilometre.")]
    amount_minor: int
    currency: str
    reason: str | None
    corrects_id: Annotated[int | None, doc("The earning that this one corrects.")]
    at: Annotated[datetime, doc("When it was earned.")]
    recorded_at: datetime


class EarningAnswer(Answer):
    """The earning that was written."""

    result: bool = True
    earning: Earning


class EarningList(PagedAnswer):
    """Earnings, oldest first."""

    earnings: list[Earning]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("The page as CSV, in base64; if `format` asks for it.")] = UNSET


class StatementSum(Answer):
    """What was earned for one kind of work in the week."""

    kind: EarningKind
    count: int
    quantity: Annotated[int, doc("Routes or stops; metres for a distance.")]
    amount_minor: int


class PayStatement(Answer):
    """What somebody earned in a week."""

    result: bool = True
    payee_kind: PayeeKind
    payee_id: int
    payee_name: str
    monday: date
    sunday: date
    currency: str
    total_minor: int
    sums: Annotated[list[StatementSum], doc("By what was paid for.")]
    lines: Annotated[list[Earning], doc("Every earning of the week, oldest first.")]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("The lines as CSV, in base64; if `format` asks for it.")] = UNSET
