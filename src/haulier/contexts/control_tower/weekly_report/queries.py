"""Figures of a week."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta

from msgspec import Struct

from haulier.contexts.analytics.public import DaySumRow, Dimension, Measure, SumQuestion, load_sums
from haulier.contexts.control_tower.overview.contract import SummaryLine
from haulier.contexts.control_tower.overview.queries import load_names
from haulier.contexts.control_tower.overview.serializers import summary_line
from haulier.contexts.control_tower.weekly_report.rules import DAYS, LINES_MAX
from haulier.kernel.call import Call

LAST_DAY = DAYS - timedelta(days=1)


class WeekFigures(Struct, frozen=True, kw_only=True):
    """A week, the previous week, and the top carriers and senders."""

    week: date
    total: SummaryLine
    before: SummaryLine
    drivers: Sequence[SummaryLine]
    customers: Sequence[SummaryLine]


async def load_week(call: Call, week: date, contractor_id: int | None) -> WeekFigures:
    """Return the figures of a week, in at most four statements.

    Contractors get their own, without drivers and customers.
    """
    money = contractor_id is None
    asked = SumQuestion(
        measures=(Measure.ORDERS, Measure.FAILURES, Measure.RATINGS),
        since=week - DAYS,
        until=week + LAST_DAY,
        dimension=Dimension.ALL if money else Dimension.CONTRACTOR,
        subject_id=contractor_id,
        per_day=True,
    )
    rows = await load_sums(call.work, asked)
    return WeekFigures(
        week=week,
        total=summary_line(call, "total", None, [row for row in rows if row.day and row.day >= week], money=money),
        before=summary_line(call, "before", None, [row for row in rows if row.day and row.day < week], money=money),
        drivers=await _most(call, week, Dimension.DRIVER) if money else (),
        customers=await _most(call, week, Dimension.CUSTOMER) if money else (),
    )


async def _most(call: Call, week: date, dimension: Dimension) -> Sequence[SummaryLine]:
    """Return those with most orders in a week."""
    asked = SumQuestion(
        measures=(Measure.ORDERS, Measure.FAILURES), since=week, until=week + LAST_DAY, dimension=dimension
    )
    by_subject: defaultdict[int, list[DaySumRow]] = defaultdict(list)
    for row in await load_sums(call.work, asked):
        if row.subject_id:
            by_subject[row.subject_id].append(row)
    most = sorted(by_subject, key=lambda subject: (-_orders(by_subject[subject]), subject))[:LINES_MAX]
    names = await load_names(call, dimension, most)
    return [summary_line(call, str(id), names.get(id), by_subject[id], money=True) for id in most]


def _orders(rows: Sequence[DaySumRow]) -> int:
    return sum(row.count for row in rows if row.measure == Measure.ORDERS)
