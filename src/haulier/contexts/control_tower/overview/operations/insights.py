"""What became of the orders of a period, by day and by everybody who had to do with them, in one answer."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date

from msgspec import UNSET

from haulier.contexts.analytics.public import NOBODY, DaySumRow, Dimension, Measure, SumQuestion, load_sums
from haulier.contexts.control_tower.overview.contract import (
    GetOrdersInsights,
    OrdersInsights,
    OrdersInsightsGroup,
    SummaryLine,
)
from haulier.contexts.control_tower.overview.operations.summary import READERS
from haulier.contexts.control_tower.overview.queries.reports import load_names, own_contractor_id, report_days
from haulier.contexts.control_tower.overview.serializers import summary_line
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import Scope

PEOPLE = {"drivers": Dimension.DRIVER, "contractors": Dimension.CONTRACTOR, "customers": Dimension.CUSTOMER}
"""The groups of an answer, each with what its sums are kept by."""
BySubject = Mapping[int, Sequence[DaySumRow]]


@reads(
    "get_orders_insights",
    audience=READERS,
    scopes={Scope.ANALYTICS_READ},
    doors=(Rest("GET", "/v1/analytics/orders/insights"), GraphQL("ordersInsights")),
)
async def get_orders_insights(call: Call, request: GetOrdersInsights) -> OrdersInsights:
    """Show what became of the orders of a period in one answer: by day, and by the drivers, contractors and customers with most
    orders. `get_orders_summary` has each of these alone, with all lines and as CSV.

    Contractors get their own orders by day.
    """
    first, last = report_days(call, request)
    own = own_contractor_id(call)
    days = await _sums(call, first, last, Dimension.ALL if own is None else Dimension.CONTRACTOR, own, per_day=True)
    groups = {name: await _by_subject(call, first, last, of) for name, of in PEOPLE.items()} if own is None else {}
    shown = {name: _foremost(group, request.top) for name, group in groups.items()}
    made = {
        name: _group(call, groups[name], ids, await load_names(call, PEOPLE[name], ids)) for name, ids in shown.items()
    }
    by_day: defaultdict[str, list[DaySumRow]] = defaultdict(list)
    for row in days:
        by_day[str(row.day)].append(row)
    return OrdersInsights(
        date_from=first,
        date_to=last,
        total=_line(call, "total", None, days),
        days=[_line(call, day, None, rows) for day, rows in sorted(by_day.items())],
        drivers=made.get("drivers", UNSET),
        contractors=made.get("contractors", UNSET),
        customers=made.get("customers", UNSET),
    )


async def _sums(
    call: Call, first: date, last: date, dimension: Dimension, subject: int | None = None, *, per_day: bool = False
) -> list[DaySumRow]:
    return await load_sums(
        call.work,
        SumQuestion(
            measures=(Measure.ORDERS, Measure.FAILURES),
            since=first,
            until=last,
            dimension=dimension,
            subject_id=subject,
            per_day=per_day,
        ),
    )


async def _by_subject(call: Call, first: date, last: date, dimension: Dimension) -> BySubject:
    """The sums of each driver, contractor or customer, and of nobody (`NOBODY`)."""
    found: defaultdict[int, list[DaySumRow]] = defaultdict(list)
    for row in await _sums(call, first, last, dimension):
        found[row.subject_id].append(row)
    return found


def _foremost(group: BySubject, top: int) -> list[int]:
    """Those with most orders."""
    return sorted(group.keys() - {NOBODY}, key=lambda subject: (-_orders(group[subject]), subject))[:top]


def _group(call: Call, group: BySubject, ids: Collection[int], names: Mapping[int, str]) -> OrdersInsightsGroup:
    rest = [row for id in group.keys() - {NOBODY, *ids} for row in group[id] if row.count]
    nobody = [row for row in group.get(NOBODY, ()) if row.count]
    return OrdersInsightsGroup(
        count=len(group.keys() - {NOBODY}),
        lines=[_line(call, str(id), names.get(id), group[id]) for id in ids],
        others=_line(call, "others", None, rest) if rest else None,
        nobody=_line(call, "", None, nobody) if nobody else None,
    )


def _orders(rows: Sequence[DaySumRow]) -> int:
    return sum(row.count for row in rows if row.measure == Measure.ORDERS)


def _line(call: Call, key: str, name: str | None, rows: Sequence[DaySumRow]) -> SummaryLine:
    return summary_line(call, key, name, rows, money=own_contractor_id(call) is None)
