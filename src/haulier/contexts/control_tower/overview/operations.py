"""Operations on the overview."""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import UNSET, Struct, structs

from haulier.contexts.analytics.public import NOBODY, DaySumRow, Dimension, Measure, SumQuestion, load_sums
from haulier.contexts.billing.public import AccountKind, count_owed_accounts, list_customer_debts
from haulier.contexts.control_tower.approvals.queries import count_waiting_approvals
from haulier.contexts.control_tower.overview.contract import (
    AttentionNeeded,
    CashWithDrivers,
    CustomerActivity,
    CustomerActivityList,
    CustomerDebt,
    DailyDigest,
    DriverCounts,
    EarningsLine,
    EarningsReport,
    GetCustomerActivity,
    GetDailyDigest,
    GetEarningsReport,
    GetOrdersInsights,
    GetOrdersSummary,
    InsightsLine,
    OrdersInsights,
    OrdersInsightsGroup,
    OrdersSummary,
    RouteCounts,
    SummaryLine,
)
from haulier.contexts.control_tower.overview.queries import load_names, load_subjects, own_contractor_id, report_days
from haulier.contexts.control_tower.overview.rules import (
    OF_DAYS,
    OWN_GROUPINGS,
    AttentionKind,
    Comparison,
    EarningsGrouping,
    SummaryGrouping,
    compared_day,
    counterpart,
    dimension_of,
    given_filters,
)
from haulier.contexts.control_tower.overview.serializers import (
    earnings_report_csv,
    hour_key,
    insights_line,
    order_counts_record,
    summary_csv,
    summary_line,
    weekday_hours,
)
from haulier.contexts.control_tower.ports import StockShortages
from haulier.contexts.fleet.public import (
    count_due_driver_documents,
    count_due_services,
    count_due_vehicle_documents,
    get_due_day,
    list_driver_rows,
)
from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.public import (
    OrderProblemKind,
    OrderStatus,
    count_low_ratings,
    count_order_problems,
    list_orders_of_customers,
)
from haulier.contexts.routes.public import RoutesOfDay, count_routes_of_day
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.operations.records import record

CSV = Representations((Representation("text/csv", "csv"),), data_field="document", media_type_field="media_type")
ORDER_MEASURES = (Measure.ORDERS, Measure.FAILURES, Measure.RATINGS)
READERS = OFFICE | {Account.CONTRACTOR}


@reads(
    "get_orders_summary",
    audience=READERS,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(
        Rest("GET", "/v1/analytics/orders", representations=CSV),
        GraphQL("ordersSummary"),
        Mcp("get_orders_summary", title="Get an order summary"),
    ),
)
async def get_orders_summary(call: Call, request: GetOrdersSummary) -> OrdersSummary:
    """Get a summary of orders.

    Sums up the orders of a period: number, outcome, deliveries on time, failed attempts by reason, ratings and price.
    Ended orders count on the day they ended, open ones on their planned or else creation day.
    """
    first, last = report_days(call, request)
    grouping = request.group_by
    dimension, subject = await _chosen(call, request)
    question = SumQuestion(
        measures=ORDER_MEASURES,
        since=first,
        until=last,
        dimension=dimension,
        subject_id=subject,
        per_day=grouping in OF_DAYS,
    )
    rows = await load_sums(call.work, question)
    lines = await _lines(call, grouping, rows)
    return OrdersSummary(
        date_from=first,
        date_to=last,
        group_by=grouping,
        total=_line(call, "total", None, rows),
        lines=lines,
        document=b64encode(summary_csv(lines).encode()).decode() if request.format else UNSET,
    )


async def _chosen(call: Call, request: GetOrdersSummary) -> tuple[Dimension, int | None]:
    """Return the requested dimension and subject. Raises `INVALID_REQUEST`."""
    own = own_contractor_id(call)
    if own is not None:
        if request.group_by not in OWN_GROUPINGS:
            raise INVALID_REQUEST.for_fields(FieldError("group_by", "field.report_not_yours"))
        return Dimension.CONTRACTOR, own
    filters = given_filters(
        (Dimension.CUSTOMER, request.customer_id),
        (Dimension.DRIVER, request.driver_id),
        (Dimension.CONTRACTOR, request.contractor_id),
    )
    if not filters:
        return dimension_of(request.group_by), None
    if len(filters) > 1 or request.group_by not in OWN_GROUPINGS:
        raise INVALID_REQUEST.for_fields(FieldError(f"{filters[-1][0].value}_id", "field.report_filter"))
    return filters[0]


async def _lines(call: Call, grouping: SummaryGrouping, rows: Sequence[DaySumRow]) -> list[SummaryLine]:
    match grouping:
        case SummaryGrouping.DAY:
            return [_line(call, day, None, own) for day, own in sorted(_by_day(rows).items())]
        case SummaryGrouping.WEEKDAY:
            return [_line(call, str(number), None, own) for number, own in sorted(_by_weekday(rows).items())]
        case SummaryGrouping.HOUR:
            return [_line(call, hour_key(subject), None, own) for subject, own in _by_hour(rows)]
        case SummaryGrouping.STATUS:
            return [_line(call, status.name, None, own) for status, own in sorted(_by_status(rows).items())]
        case _:
            by_subject = _group_by_subject(rows)
            names = await load_names(call, dimension_of(grouping), by_subject)
            found = sorted(by_subject.items(), key=lambda item: (not item[0], names.get(item[0], ""), item[0]))
            return [_line(call, str(id or ""), names.get(id), own) for id, own in found]


def _by_day(rows: Sequence[DaySumRow]) -> Mapping[str, list[DaySumRow]]:
    found: defaultdict[str, list[DaySumRow]] = defaultdict(list)
    for row in rows:
        found[str(row.day)].append(row)
    return found


def _by_weekday(rows: Sequence[DaySumRow]) -> Mapping[int, list[DaySumRow]]:
    """Return sums of days by weekday; 1 is Monday."""
    found: defaultdict[int, list[DaySumRow]] = defaultdict(list)
    for row in rows:
        if row.day:
            found[row.day.isoweekday()].append(row)
    return found


def _by_hour(rows: Iterable[DaySumRow]) -> list[tuple[int, list[DaySumRow]]]:
    """Return sums by hour, open orders last."""
    return sorted(_group_by_subject(rows).items(), key=lambda item: _nobody_last(item[0]))


def _nobody_last(subject: int) -> tuple[bool, int]:
    """Return the sort key of a subject: those without one come last."""
    return not subject, subject


def _group_by_subject(rows: Iterable[DaySumRow]) -> defaultdict[int, list[DaySumRow]]:
    found: defaultdict[int, list[DaySumRow]] = defaultdict(list)
    for row in rows:
        found[row.subject_id].append(row)
    return found


_STATUS_OF_MEASURE = {Measure.FAILURES: OrderStatus.FAILED, Measure.RATINGS: OrderStatus.DELIVERED}


def _by_status(rows: Sequence[DaySumRow]) -> Mapping[OrderStatus, list[DaySumRow]]:
    """Return sums by status; failed attempts and ratings stand beside orders."""
    found: defaultdict[OrderStatus, list[DaySumRow]] = defaultdict(list)
    for row in rows:
        status = _STATUS_OF_MEASURE.get(Measure(row.measure)) or OrderStatus(int(row.status))
        found[status].append(row)
    return found


def _line(call: Call, key: str, name: str | None, rows: Sequence[DaySumRow]) -> SummaryLine:
    return summary_line(call, key, name, rows, money=own_contractor_id(call) is None)


ATTENTION_BY_PROBLEM = {
    OrderProblemKind.LATE: AttentionKind.LATE_ORDERS,
    OrderProblemKind.UNPLANNED: AttentionKind.UNPLANNED_ORDERS,
    OrderProblemKind.FAILED: AttentionKind.FAILED_ORDERS,
    OrderProblemKind.HELD: AttentionKind.HELD_ORDERS,
    OrderProblemKind.NO_COORDINATES: AttentionKind.ORDERS_WITHOUT_COORDINATES,
    OrderProblemKind.CONTRACTOR_DISABLED: AttentionKind.ORDERS_OF_DISABLED_CONTRACTORS,
    OrderProblemKind.PIECE_MISSING: AttentionKind.PIECES_MISSING,
    OrderProblemKind.PIECE_DAMAGED: AttentionKind.PIECES_DAMAGED,
}


@reads(
    "daily_digest",
    audience=READERS,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(
        Rest("GET", "/v1/analytics/daily-digest"),
        GraphQL("dailyDigest"),
        Mcp("daily_digest", title="Get the daily digest"),
    ),
)
async def daily_digest(call: Call, request: GetDailyDigest) -> DailyDigest:
    """Get the daily digest.

    Returns orders by outcome, failed attempts by reason, routes, drivers, the cash that drivers hold, and items that
    need attention. Contractors see their own orders, routes and drivers.
    """
    day, own = request.day or call.today, own_contractor_id(call)
    dimension = Dimension.ALL if own is None else Dimension.CONTRACTOR
    asked = SumQuestion(measures=ORDER_MEASURES, since=day, until=day, dimension=dimension, subject_id=own)
    sums = await load_sums(call.work, asked)
    problems = await count_order_problems(call)
    routes = await count_routes_of_day(call, day, own)
    fleet = {"enabled": True, **({} if own is None else {"contractor": own})}
    _, active = await list_driver_rows(call, fleet, limit=1, offset=0)
    waiting = {AttentionKind.APPROVALS: await count_waiting_approvals(call) if own is None else 0}
    waiting |= {attention: problems.by_kind.get(kind, 0) for kind, attention in ATTENTION_BY_PROBLEM.items()}
    waiting[AttentionKind.LOW_RATINGS] = await count_low_ratings(call)
    waiting[AttentionKind.ROUTES_WITHOUT_DRIVER] = routes.without_driver
    shortages = call.app.find_adapter(StockShortages) if own is None else None
    waiting[AttentionKind.STOCK_SHORTAGES] = await shortages.count(call) if shortages else 0
    waiting |= await _fleet_due(call, own)
    return DailyDigest(
        day=day,
        as_of=call.local_time(call.now),
        orders=order_counts_record(sums),
        routes=_route_counts(routes),
        drivers=DriverCounts(active=active, with_route=routes.drivers, driving=routes.driving),
        cash=await _cash(call) if own is None else UNSET,
        needs_attention=[AttentionNeeded(kind=kind, count=count) for kind, count in waiting.items() if count],
        exceptions_open=problems.orders,
    )


async def _fleet_due(call: Call, contractor_id: int | None) -> dict[AttentionKind, int]:
    """Return the documents and services of the fleet that are due."""
    until = await get_due_day(call)
    return {
        AttentionKind.DRIVER_DOCUMENTS: await count_due_driver_documents(call, until, contractor_id),
        AttentionKind.VEHICLE_DOCUMENTS: await count_due_vehicle_documents(call, until, contractor_id),
        AttentionKind.VEHICLE_SERVICES: await count_due_services(call, contractor_id),
    }


def _route_counts(routes: RoutesOfDay) -> RouteCounts:
    return RouteCounts(
        routes=sum(routes.by_status.values()), by_status=routes.by_status, without_driver=routes.without_driver
    )


async def _cash(call: Call) -> list[CashWithDrivers]:
    return [
        CashWithDrivers(currency=money.currency, drivers=owners, carried_minor=money.minor)
        for owners, money in await count_owed_accounts(call, AccountKind.DRIVER_CASH)
    ]


@reads(
    "get_customer_activity",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", "/v1/analytics/customers"), GraphQL("customerActivity")),
)
async def get_customer_activity(call: Call, request: GetCustomerActivity) -> CustomerActivityList:
    """Get the activity of customers.

    Returns open orders, the newest order and unpaid invoices of up to 100 customers, in the order of the request.
    """
    users = await get_users_by_id(call, request.customer_ids)
    customers = [
        id for id in dict.fromkeys(request.customer_ids) if id in users and users[id].account is Account.CUSTOMER
    ]
    orders = await list_orders_of_customers(call, customers)
    debts: defaultdict[int, list[CustomerDebt]] = defaultdict(list)
    for row in await list_customer_debts(call, customers):
        debts[row.customer_id].append(record(CustomerDebt, row))
    return CustomerActivityList(
        customers=[record(CustomerActivity, orders[id], customer_id=id, debts=debts[id]) for id in customers]
    )


Place = tuple[int, str]
"""The customer, driver or contractor of a line, and its currency."""


@reads(
    "get_earnings_report",
    audience=READERS,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", "/v1/analytics/earnings", representations=CSV), GraphQL("earningsReport")),
)
async def get_earnings_report(call: Call, request: GetEarningsReport) -> EarningsReport:
    """Get the earnings report.

    Returns prices of delivered orders and pay, by customer, driver or contractor. Also available as CSV. Contractors
    get their own pay.
    """
    first, last = report_days(call, request)
    own = own_contractor_id(call)
    grouping = EarningsGrouping.CONTRACTOR if own is not None else request.group_by
    paid = grouping is not EarningsGrouping.CUSTOMER
    question = SumQuestion(
        measures=(Measure.ORDERS, *((Measure.PAY,) if paid else ())),
        since=first,
        until=last,
        dimension=dimension_of(grouping),
        subject_id=own,
        status=str(int(OrderStatus.DELIVERED)),
    )
    rows = await load_sums(call.work, question)
    lines = await _earnings_lines(call, grouping, rows, office=own is None)
    return EarningsReport(
        date_from=first,
        date_to=last,
        group_by=grouping,
        lines=lines,
        document=b64encode(earnings_report_csv(lines).encode()).decode() if request.format else UNSET,
    )


async def _earnings_lines(
    call: Call, grouping: EarningsGrouping, rows: Sequence[DaySumRow], *, office: bool
) -> list[EarningsLine]:
    delivered, revenue, pay = defaultdict[Place, int](int), defaultdict[Place, int](int), defaultdict[Place, int](int)
    for row in rows:
        currency = row.currency or call.business.currency
        if row.measure == Measure.PAY:
            if row.subject_id:
                pay[row.subject_id, currency] += row.minor
        elif office:
            delivered[row.subject_id, currency] += row.count
            revenue[row.subject_id, currency] += row.minor
    places = {*delivered, *pay}
    subjects = await load_subjects(call, dimension_of(grouping), {subject for subject, _ in places})
    names = {id: subject.name for id, subject in subjects.items()}
    ordered = sorted(places, key=lambda place: (not place[0], names.get(place[0], ""), place))
    return [
        EarningsLine(
            subject_id=subjects[place[0]].user_id if place[0] in subjects else None,
            name=names.get(place[0]),
            currency=place[1],
            delivered=delivered[place] if office else UNSET,
            revenue_minor=revenue[place] if office else UNSET,
            pay_minor=pay[place] if grouping is not EarningsGrouping.CUSTOMER else UNSET,
        )
        for place in ordered
    ]


PEOPLE = {"drivers": Dimension.DRIVER, "contractors": Dimension.CONTRACTOR, "customers": Dimension.CUSTOMER}
"""Groups of an answer with their dimensions."""
BySubject = Mapping[int, Sequence[DaySumRow]]


class PeriodSums(Struct, frozen=True, kw_only=True):
    """Sums of a period by day, weekday, hour, driver, contractor and customer.

    For callers that are contractors, by day and weekday only.
    """

    first: date
    last: date
    days: Mapping[date, Sequence[DaySumRow]]
    weekdays: Mapping[int, Sequence[DaySumRow]]
    hours: Sequence[DaySumRow] | None
    """Sums by hour and weekday, or None for contractors."""
    groups: Mapping[str, BySubject]

    @property
    def rows(self) -> list[DaySumRow]:
        """All sums by day."""
        return [row for rows in self.days.values() for row in rows]


@reads(
    "get_orders_insights",
    audience=READERS,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", "/v1/analytics/orders/insights"), GraphQL("ordersInsights")),
)
async def get_orders_insights(call: Call, request: GetOrdersInsights) -> OrdersInsights:
    """Get insights into a period's orders.

    Returns outcomes by day, weekday and hour, and the drivers, contractors and customers with most orders, if
    requested beside those of an earlier period. `get_orders_summary` has each of these alone, with all lines and as
    CSV. Contractors get their own orders by day and weekday.
    """
    first, last = report_days(call, request)
    now = await _load_period(call, first, last)
    earlier = await _load_compared(call, request.compare, first, last) if request.compare else None
    groups = {name: await _group(call, name, now, earlier, request.top) for name in now.groups}
    return OrdersInsights(
        date_from=first,
        date_to=last,
        compared_from=earlier.first if earlier else UNSET,
        compared_to=earlier.last if earlier else UNSET,
        total=insights_line(call, "total", None, now.rows, earlier and earlier.rows),
        days=_period_lines(call, now.days, earlier and earlier.days),
        weekdays=_period_lines(call, now.weekdays, earlier and earlier.weekdays),
        hours=UNSET if now.hours is None else _hour_lines(call, now.hours, earlier and earlier.hours),
        weekday_hours=UNSET if now.hours is None else weekday_hours(now.hours),
        drivers=groups.get("drivers", UNSET),
        contractors=groups.get("contractors", UNSET),
        customers=groups.get("customers", UNSET),
    )


def _period_lines(
    call: Call,
    now: Mapping[Any, Sequence[DaySumRow]],
    earlier: Mapping[Any, Sequence[DaySumRow]] | None,
    *,
    key_of: Callable[[Any], str] = str,
    order: Callable[[Any], Any] | None = None,
) -> list[InsightsLine]:
    """Return a line for each day, weekday or hour with orders."""
    return [
        insights_line(call, key_of(each), None, now.get(each, ()), None if earlier is None else earlier.get(each, ()))
        for each in sorted({*now, *(earlier or ())}, key=order)
    ]


def _hour_lines(call: Call, now: Sequence[DaySumRow], earlier: Sequence[DaySumRow] | None) -> list[InsightsLine]:
    """Return a line for each hour, then one for open orders."""
    before = None if earlier is None else _group_by_subject(earlier)
    return _period_lines(call, _group_by_subject(now), before, key_of=hour_key, order=_nobody_last)


async def _load_period(call: Call, first: date, last: date) -> PeriodSums:
    own = own_contractor_id(call)
    rows = await _sums(call, first, last, Dimension.ALL if own is None else Dimension.CONTRACTOR, own, per_day=True)
    by_day: defaultdict[date, list[DaySumRow]] = defaultdict(list)
    for row in rows:
        by_day[row.day or first].append(row)
    groups = {name: await _by_subject(call, first, last, of) for name, of in PEOPLE.items()} if own is None else {}
    hours = await _sums(call, first, last, Dimension.HOUR, per_weekday=True) if own is None else None
    return PeriodSums(first=first, last=last, days=by_day, weekdays=_by_weekday(rows), hours=hours, groups=groups)


async def _load_compared(call: Call, comparison: Comparison, first: date, last: date) -> PeriodSums:
    """Return the sums of the compared period, by the days of the period itself."""
    length = (last - first).days + 1
    found = await _load_period(call, *(compared_day(comparison, day, length) for day in (first, last)))
    by_day: defaultdict[date, list[DaySumRow]] = defaultdict(list)
    for day, rows in found.days.items():
        by_day[counterpart(comparison, day, first, last)] += rows
    return structs.replace(found, days=by_day)


async def _sums(
    call: Call,
    first: date,
    last: date,
    dimension: Dimension,
    subject: int | None = None,
    *,
    per_day: bool = False,
    per_weekday: bool = False,
) -> list[DaySumRow]:
    return await load_sums(
        call.work,
        SumQuestion(
            measures=ORDER_MEASURES,
            since=first,
            until=last,
            dimension=dimension,
            subject_id=subject,
            per_day=per_day,
            per_weekday=per_weekday,
        ),
    )


async def _by_subject(call: Call, first: date, last: date, dimension: Dimension) -> BySubject:
    """Return sums by driver, contractor or customer, or without one."""
    return _group_by_subject(await _sums(call, first, last, dimension))


def _list_top_subjects(group: BySubject, top: int) -> list[int]:
    """Return those with most orders."""
    return sorted(group.keys() - {NOBODY}, key=lambda subject: (-_orders(group[subject]), subject))[:top]


async def _group(call: Call, name: str, now: PeriodSums, earlier: PeriodSums | None, top: int) -> OrdersInsightsGroup:
    """Return the drivers, contractors or customers with most orders, and the rest."""
    group, before = now.groups[name], earlier.groups[name] if earlier else None
    ids = _list_top_subjects(group, top)
    names = await load_names(call, PEOPLE[name], ids)

    def rest_line(key: str, is_meant: Callable[[int], bool]) -> InsightsLine | None:
        rows = _rows_of(group, is_meant)
        rows_before = None if before is None else _rows_of(before, is_meant)
        return insights_line(call, key, None, rows, rows_before) if rows or rows_before else None

    return OrdersInsightsGroup(
        count=len(group.keys() - {NOBODY}),
        lines=[
            insights_line(call, str(id), names.get(id), group[id], None if before is None else before.get(id, ()))
            for id in ids
        ],
        others=rest_line("others", lambda subject: subject not in {NOBODY, *ids}),
        nobody=rest_line("", lambda subject: subject == NOBODY),
    )


def _rows_of(group: BySubject, is_meant: Callable[[int], bool]) -> list[DaySumRow]:
    return [row for id, rows in group.items() if is_meant(id) for row in rows if row.count]


def _orders(rows: Sequence[DaySumRow]) -> int:
    return sum(row.count for row in rows if row.measure == Measure.ORDERS)
