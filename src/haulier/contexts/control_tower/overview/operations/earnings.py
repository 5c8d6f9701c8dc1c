"""What was earned in a period."""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Sequence

from msgspec import UNSET

from haulier.contexts.analytics.public import DaySumRow, Measure, SumQuestion, load_sums
from haulier.contexts.control_tower.overview.contract import EarningsLine, EarningsReport, GetEarningsReport
from haulier.contexts.control_tower.overview.operations.summary import CSV, READERS
from haulier.contexts.control_tower.overview.queries.reports import load_subjects, own_contractor_id, report_days
from haulier.contexts.control_tower.overview.rules import EarningsGrouping, dimension_of
from haulier.contexts.control_tower.overview.serializers import earnings_report_csv
from haulier.contexts.orders.public import OrderStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import Scope

Place = tuple[int, str]
"""The customer, driver or contractor of a line, and its currency."""


@reads(
    "get_earnings_report",
    audience=READERS,
    scopes={Scope.ANALYTICS_READ},
    doors=(Rest("GET", "/v1/analytics/earnings", representations=CSV), GraphQL("earningsReport")),
)
async def get_earnings_report(call: Call, request: GetEarningsReport) -> EarningsReport:
    """Show what a period brought, by customer, driver or contractor: the prices of their delivered orders, and what drivers and
    contractors were paid. Also as CSV.

    Contractors get what they themselves were paid.
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
