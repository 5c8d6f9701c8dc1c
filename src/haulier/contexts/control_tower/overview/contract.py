"""What goes in and out of the overview."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.control_tower.overview.rules import AttentionKind, EarningsGrouping, SummaryGrouping
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Day

LOCAL = PriceFamily.LOCAL_DELIVERY


class GetDailyDigest(Request):
    """Which day."""

    day: Day | None = None
    """A day in the business's time zone; today when left out."""


class ReportPeriod(Request):
    """From when to when, and in which form."""

    date_from: Day | None = None
    """The first day, in the business's time zone; when left out, 29 days before the last one."""
    date_to: Day | None = None
    """The last day; today when left out. A period has at most 366 days."""
    format: Literal["csv"] | None = None
    """csv: the lines as one document too, which `Accept: text/csv` asks for alone."""


class GetOrdersSummary(ReportPeriod):
    """Which orders, and what there is a line for."""

    group_by: SummaryGrouping = SummaryGrouping.DAY
    """day, status, customer, driver or contractor. Contractors get their own orders by day or status."""
    customer_id: Annotated[RecordId | None, Field(examples=[17])] = None
    """Only orders of this customer account. Goes with day and status, and so do the next two; one of them at a time."""
    driver_id: DriverId | None = None
    """Only orders of this driver."""
    contractor_id: RecordId | None = None
    """Only orders of this contractor."""


class GetOrdersInsights(Request):
    """Which period, and how many lines of each group."""

    date_from: Day | None = None
    """The first day, in the business's time zone; when left out, 29 days before the last one."""
    date_to: Day | None = None
    """The last day; today when left out. A period has at most 366 days."""
    top: Annotated[int, Field(ge=1, le=100)] = 10
    """At most so many drivers, contractors and customers each, those with most orders first."""


class GetEarningsReport(ReportPeriod):
    """Whose earnings."""

    group_by: EarningsGrouping = EarningsGrouping.CUSTOMER
    """customer, driver or contractor. Contractors get their own."""


class StatusCount(Answer):
    """How many orders have a status."""

    status: Annotated[str, doc("The name of the status.", "DELIVERED")]
    orders: int


class FailureCount(Answer):
    """How many attempts were in vain for one reason."""

    reason: Annotated[str, doc("The code of the reason.", "recipient_unavailable")]
    attempts: int


class OrderCounts(Answer):
    """Orders by what became of them. An order counts once, under the status it has now."""

    orders: int
    by_status: Annotated[list[StatusCount], doc("Statuses that no order has are left out.")]
    delivered: int
    judged: Annotated[int, doc("How many of the delivered ones had a window or a day promised.")]
    on_time: Annotated[int, doc("How many of those kept it.")]
    on_time_share: Annotated[float | None, doc("on_time of judged, between 0 and 1; null where none was judged.", 0.97)]
    failed_attempts: Annotated[int, doc("Failed attempts, whatever came later.")]
    failed_by_reason: Annotated[list[FailureCount], doc("The most frequent reason comes first.")]


class OrderMoney(Priced):
    """What orders cost those who sent them, in minor units, with tax."""

    currency: str
    ordered_minor: Annotated[int | UnsetType, price(LOCAL, "The prices of all orders that were not cancelled.")] = UNSET
    delivered_minor: Annotated[int | UnsetType, price(LOCAL, "The prices of those that were delivered.")] = UNSET


class RouteCounts(Answer):
    """The routes of a day."""

    routes: int
    by_status: Annotated[dict[str, int], doc("By the status of the route: draft, assigned, started, …")]
    without_driver: Annotated[int, doc("Routes still to be driven that nobody has.")]


class DriverCounts(Answer):
    """The drivers of a day."""

    active: Annotated[int, doc("Drivers who may be given work.")]
    with_route: Annotated[int, doc("Drivers with a route on the day.")]
    driving: Annotated[int, doc("Drivers whose route is started.")]


class CashWithDrivers(Answer):
    """The cash that drivers carry now, in one currency."""

    currency: str
    drivers: int
    carried_minor: int


class AttentionNeeded(Answer):
    """Something that waits for a person."""

    kind: AttentionKind
    count: int


class DailyDigest(Answer):
    """A day at a glance."""

    result: bool = True
    day: date
    as_of: datetime
    orders: Annotated[OrderCounts, doc("Orders that count for the day.")]
    routes: RouteCounts
    drivers: DriverCounts
    cash: Annotated[list[CashWithDrivers] | UnsetType, doc("Left out for contractors.")] = UNSET
    needs_attention: Annotated[list[AttentionNeeded], doc("As of now, whatever the day; what is zero is left out.")]
    exceptions_open: Annotated[
        int, doc("Orders that need somebody, as `list_exceptions` has them; 1000 means: or more.")
    ]


class SummaryLine(OrderCounts):
    """The orders of a day, a status, a customer, a driver or a contractor."""

    key: Annotated[
        str, doc("The day, the name of the status, or the id as text; empty for orders of nobody.", "2026-06-10")
    ]
    name: Annotated[str | None, doc("The name of a customer, driver or contractor.")]
    money: Annotated[list[OrderMoney] | UnsetType, doc("By currency. Left out for contractors.")] = UNSET


class OrdersSummary(Answer):
    """Orders of a period, summed up."""

    result: bool = True
    date_from: date
    date_to: date
    group_by: SummaryGrouping
    total: SummaryLine
    lines: list[SummaryLine]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("The lines as CSV, in base64; if `format` asks for it.")] = UNSET


class OrdersInsightsGroup(Answer):
    """Those who carried or sent the orders of a period."""

    count: Annotated[
        int, doc("How many drivers, contractors or customers had orders; there are lines for the first of them.")
    ]
    lines: Annotated[list[SummaryLine], doc("Those with most orders come first.")]
    others: Annotated[SummaryLine | None, doc("Sum of the drivers, contractors or customers without a line.")]
    nobody: Annotated[SummaryLine | None, doc("Orders without a driver, contractor or customer.")]


class OrdersInsights(Answer):
    """Orders of a period: what became of them by day, and who carried and sent them."""

    result: bool = True
    date_from: date
    date_to: date
    total: SummaryLine
    days: Annotated[list[SummaryLine], doc("A line for each day with orders, the earliest first.")]
    drivers: Annotated[OrdersInsightsGroup | UnsetType, doc("Left out for contractors, and so are the next two.")] = (
        UNSET
    )
    contractors: OrdersInsightsGroup | UnsetType = UNSET
    customers: OrdersInsightsGroup | UnsetType = UNSET


class EarningsLine(Priced):
    """What was earned with a customer, or through a driver or contractor, in one currency."""

    subject_id: Annotated[
        int | None, doc("The user id of the customer, driver or contractor; null for orders of nobody.")
    ]
    name: str | None
    currency: str
    delivered: Annotated[
        int | UnsetType, doc("Orders that were delivered for or by them. Left out for contractors.")
    ] = UNSET
    revenue_minor: Annotated[
        int | UnsetType, price(LOCAL, "The prices of these orders, with tax. Left out for contractors.")
    ] = UNSET
    pay_minor: Annotated[int | UnsetType, doc("What they were paid or are owed. Left out for customers.")] = UNSET


class EarningsReport(Answer):
    """What was earned in a period."""

    result: bool = True
    date_from: date
    date_to: date
    group_by: EarningsGrouping
    lines: list[EarningsLine]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("The lines as CSV, in base64; if `format` asks for it.")] = UNSET
