"""Request and response models for the overview."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.control_tower.overview.rules import AttentionKind, Comparison, EarningsGrouping, SummaryGrouping
from haulier.kernel.operations.answers import Answer, Priced, doc, price, sums_price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Day

LOCAL = PriceFamily.LOCAL_DELIVERY
CUSTOMERS_MAX = 100


class GetDailyDigest(Request):
    """A day to report."""

    day: Day | None = None
    """Date in the business's time zone. Defaults to today."""


class ReportPeriod(Request):
    """A period and the format of the report."""

    date_from: Day | None = None
    """First day in the business's time zone. Defaults to 29 days before the last day."""
    date_to: Day | None = None
    """Last day. Defaults to today. A period has at most 366 days."""
    format: Literal["csv"] | None = None
    """`csv` adds the lines as CSV. `Accept: text/csv` returns only the document."""


class GetOrdersSummary(ReportPeriod):
    """Filters and grouping of a summary."""

    group_by: SummaryGrouping = SummaryGrouping.DAY
    """Grouping. Contractors get their own orders by day, weekday or status."""
    customer_id: Annotated[RecordId | None, Field(examples=[17])] = None
    """Filter by customer account, for groups by day, weekday or status."""
    driver_id: DriverId | None = None
    """Only orders of this driver."""
    contractor_id: RecordId | None = None
    """Only orders of this contractor."""


class GetOrdersInsights(Request):
    """A period, and the number of lines per group."""

    date_from: Day | None = None
    """First day in the business's time zone. Defaults to 29 days before the last day."""
    date_to: Day | None = None
    """Last day. Defaults to today. A period has at most 366 days."""
    top: Annotated[int, Field(ge=1, le=100)] = 10
    """Maximum number of drivers, contractors and customers each, most orders first."""
    compare: Comparison | None = None
    """Compare with the period of the same length before, or with the same days of the previous year."""


class GetEarningsReport(ReportPeriod):
    """Period and grouping of earnings."""

    group_by: EarningsGrouping = EarningsGrouping.CUSTOMER
    """customer, driver or contractor. Contractors get their own."""


class GetCustomerActivity(Request):
    """Customers to report on."""

    customer_ids: Annotated[list[RecordId], Field(min_length=1, max_length=CUSTOMERS_MAX, examples=[[17]])]
    """IDs of the customers. Other IDs are left out of the answer."""


class StatusCount(Answer):
    """Number of orders with a status."""

    status: Annotated[str, doc("Name of the status.", "DELIVERED")]
    orders: int


class FailureCount(Answer):
    """Number of failed attempts by reason."""

    reason: Annotated[str, doc("Code of the reason.", "recipient_unavailable")]
    attempts: int


class OrderCounts(Answer):
    """Orders by outcome. An order counts once, under its current status."""

    orders: int
    by_status: Annotated[list[StatusCount], doc("Statuses with orders.")]
    delivered: int
    judged: Annotated[int, doc("Number of delivered orders with a promised window or day.")]
    on_time: Annotated[int, doc("Number of those delivered on time.")]
    on_time_share: Annotated[
        float | None, doc("on_time divided by judged, between 0 and 1; null if none was judged.", 0.97)
    ]
    failed_attempts: Annotated[int, doc("Failed attempts, whatever happened later.")]
    failed_by_reason: Annotated[list[FailureCount], doc("Failed attempts by reason, most frequent first.")]
    ratings: Annotated[int, doc("Number of delivered orders that their recipients rated.")]
    rating_average: Annotated[float | None, doc("Average rating, from 1 to 5; null without ratings.", 4.6)]


class OrderMoney(Priced):
    """Price of orders for their senders, in minor units, with tax."""

    currency: str
    ordered_minor: Annotated[int | UnsetType, price(LOCAL, "Total price of all orders that were not cancelled.")] = (
        UNSET
    )
    delivered_minor: Annotated[int | UnsetType, price(LOCAL, "Total price of the delivered orders.")] = UNSET


class RouteCounts(Answer):
    """The routes of a day."""

    routes: int
    by_status: Annotated[dict[str, int], doc("Routes by status: draft, assigned, started, …")]
    without_driver: Annotated[int, doc("Routes without a driver that are not finished.")]


class DriverCounts(Answer):
    """The drivers of a day."""

    active: Annotated[int, doc("Drivers who can be given work.")]
    with_route: Annotated[int, doc("Drivers with a route on the day.")]
    driving: Annotated[int, doc("Drivers whose route has started.")]


class CashWithDrivers(Answer):
    """Cash held by drivers now, in one currency."""

    currency: str
    drivers: int
    carried_minor: int


class AttentionNeeded(Answer):
    """Something that needs a user's attention."""

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
    cash: Annotated[list[CashWithDrivers] | UnsetType, doc("Cash held by drivers. Omitted for contractors.")] = UNSET
    needs_attention: Annotated[list[AttentionNeeded], doc("Current items, whatever the day; zero counts are omitted.")]
    exceptions_open: Annotated[int, doc("Open exceptions, as in `list_exceptions`; 1000 means 1000 or more.")]


class SummaryLine(OrderCounts):
    """Orders of a day, weekday, hour, status, customer, driver or contractor."""

    key: Annotated[
        str,
        doc(
            "Day, weekday (1 is Monday), hour from 0 to 23, status, or ID; empty for orders without one.", "2026-06-10"
        ),
    ]
    name: Annotated[str | None, doc("Name of the customer, driver or contractor.")]
    money: Annotated[list[OrderMoney] | UnsetType, doc("Amounts by currency. Omitted for contractors.")] = UNSET


class OrdersSummary(Answer):
    """Orders of a period, summed up."""

    result: bool = True
    date_from: date
    date_to: date
    group_by: SummaryGrouping
    total: SummaryLine
    lines: list[SummaryLine]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("Lines as CSV in base64, if `format` requests it.")] = UNSET


class ComparedCounts(OrderCounts):
    """Orders of the compared period, and the changes since then.

    A change is a share of the earlier number, such as 0.25 for 25 % more, and null if that number is zero.
    """

    orders_change: Annotated[float | None, doc("Change in orders.", 0.25)]
    delivered_change: Annotated[float | None, doc("Change in delivered orders.", 0.2)]
    failed_attempts_change: Annotated[float | None, doc("Change in failed attempts.", -0.5)]
    on_time_points: Annotated[
        float | None, doc("Change in on_time_share in percentage points; null if a share is null.", -2.5)
    ]
    rating_points: Annotated[float | None, doc("Change in rating_average in stars; null if an average is null.", 0.2)]


class InsightsLine(SummaryLine):
    """Orders of a line, and of the compared period."""

    compared: Annotated[ComparedCounts | UnsetType, doc("The compared period, if `compare` requests it.")] = UNSET


class OrdersInsightsGroup(Answer):
    """Drivers, contractors or customers of a period's orders."""

    count: Annotated[int, doc("Number of drivers, contractors or customers with orders; the first have lines.")]
    lines: Annotated[list[InsightsLine], doc("Lines, most orders first.")]
    others: Annotated[InsightsLine | None, doc("Sum of those without a line.")]
    nobody: Annotated[InsightsLine | None, doc("Orders without a driver, contractor or customer.")]


class WeekdayHour(Answer):
    """Orders and failed attempts at an hour of a weekday."""

    weekday: Annotated[int, doc("Day of the week. 1 is Monday.", 1)]
    hour: Annotated[int, doc("Hour of the day in the business's time zone, from 0 to 23.", 14)]
    delivered: int
    judged: Annotated[int, doc("Delivered orders with a promised window or day.")]
    on_time: int
    failed_attempts: int


class OrdersInsights(Answer):
    """Orders of a period by outcome, day, weekday and hour, and by carrier and sender."""

    result: bool = True
    date_from: date
    date_to: date
    compared_from: Annotated[date | UnsetType, doc("First day of the compared period.")] = UNSET
    compared_to: Annotated[date | UnsetType, doc("Last day of the compared period.")] = UNSET
    total: InsightsLine
    days: Annotated[
        list[InsightsLine], doc("A line for each day with orders in the period or the compared one, earliest first.")
    ]
    weekdays: Annotated[
        list[InsightsLine],
        doc("A line for each weekday with orders in the period or the compared one. Monday, with key 1, comes first."),
    ]
    hours: Annotated[
        list[InsightsLine] | UnsetType,
        doc("A line for each hour with ended orders or failed attempts, then open orders. Omitted for contractors."),
    ] = UNSET
    weekday_hours: Annotated[
        list[WeekdayHour] | UnsetType,
        doc("Deliveries and failed attempts by weekday and hour. Omitted for contractors."),
    ] = UNSET
    drivers: Annotated[OrdersInsightsGroup | UnsetType, doc("Drivers. Omitted for contractors, like the next two.")] = (
        UNSET
    )
    contractors: OrdersInsightsGroup | UnsetType = UNSET
    customers: OrdersInsightsGroup | UnsetType = UNSET


class CustomerDebt(Priced):
    """Unpaid invoices of a customer in one currency."""

    currency: str
    invoices: Annotated[int, doc("Number of unpaid invoices.")]
    due_minor: Annotated[int | UnsetType, sums_price("Unpaid amount in minor units.")] = UNSET
    overdue: Annotated[int, doc("Number of invoices past their due date.")]
    overdue_minor: Annotated[int | UnsetType, sums_price("Unpaid amount past its due date.")] = UNSET


class CustomerActivity(Answer):
    """Orders and unpaid invoices of a customer."""

    customer_id: int
    open_orders: Annotated[int, doc("Number of orders that are not delivered, returned, rejected or cancelled.")]
    last_order_id: Annotated[int | None, doc("Newest order; null without orders.")]
    last_order_at: Annotated[datetime | None, doc("Time when the newest order was created.")]
    debts: Annotated[list[CustomerDebt], doc("Unpaid invoices by currency.")]


class CustomerActivityList(Answer):
    """Activity of several customers."""

    result: bool = True
    customers: list[CustomerActivity]


class EarningsLine(Priced):
    """Earnings with a customer, driver or contractor, in one currency."""

    subject_id: Annotated[
        int | None, doc("User id of the customer, driver or contractor; null for orders without one.")
    ]
    name: str | None
    currency: str
    delivered: Annotated[int | UnsetType, doc("Orders delivered for or by them. Omitted for contractors.")] = UNSET
    revenue_minor: Annotated[
        int | UnsetType, price(LOCAL, "Total price of these orders, including tax. Omitted for contractors.")
    ] = UNSET
    pay_minor: Annotated[int | UnsetType, doc("Amount paid or owed to them. Omitted for customers.")] = UNSET


class EarningsReport(Answer):
    """Earnings of a period."""

    result: bool = True
    date_from: date
    date_to: date
    group_by: EarningsGrouping
    lines: list[EarningsLine]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("Lines as CSV in base64, if `format` requests it.")] = UNSET
