"""Orders of a period, summed up."""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import UNSET

from haulier.contexts.analytics.public import DaySumRow, Dimension, Measure, SumQuestion, load_sums
from haulier.contexts.control_tower.overview.contract import GetOrdersSummary, OrdersSummary, SummaryLine
from haulier.contexts.control_tower.overview.queries.reports import load_names, own_contractor_id, report_days
from haulier.contexts.control_tower.overview.rules import OWN_GROUPINGS, SummaryGrouping, dimension_of, given_filters
from haulier.contexts.control_tower.overview.serializers import summary_csv, summary_line
from haulier.contexts.orders.public import OrderStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

CSV = Representations((Representation("text/csv", "csv"),), data_field="document", media_type_field="media_type")
READERS = OFFICE | {Account.CONTRACTOR}


@reads(
    "get_orders_summary",
    audience=READERS,
    scopes={Scope.ANALYTICS_READ},
    doors=(
        Rest("GET", "/v1/analytics/orders", representations=CSV),
        GraphQL("ordersSummary"),
        Mcp("get_orders_summary", title="Sum up the orders of a period"),
    ),
)
async def get_orders_summary(call: Call, request: GetOrdersSummary) -> OrdersSummary:
    """Sum up the orders of a period by day, status, customer, driver or contractor: how many, what became of them, how many
    were delivered on time, failed attempts by reason, and what they cost. Also as CSV.

    An ended order counts on the day it ended, an open one on the day it is planned for, or else that on which it was made.
    """
    first, last = report_days(call, request)
    grouping = request.group_by
    dimension, subject = await _chosen(call, request)
    question = SumQuestion(
        measures=(Measure.ORDERS, Measure.FAILURES),
        since=first,
        until=last,
        dimension=dimension,
        subject_id=subject,
        per_day=grouping is SummaryGrouping.DAY,
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
    """By what, and of whom, sums are asked for. Raises `INVALID_REQUEST`."""
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
        case SummaryGrouping.STATUS:
            return [_line(call, status.name, None, own) for status, own in sorted(_by_status(rows).items())]
        case _:
            by_subject: defaultdict[int, list[DaySumRow]] = defaultdict(list)
            for row in rows:
                by_subject[row.subject_id].append(row)
            names = await load_names(call, dimension_of(grouping), by_subject)
            found = sorted(by_subject.items(), key=lambda item: (not item[0], names.get(item[0], ""), item[0]))
            return [_line(call, str(id or ""), names.get(id), own) for id, own in found]


def _by_day(rows: Sequence[DaySumRow]) -> Mapping[str, list[DaySumRow]]:
    found: defaultdict[str, list[DaySumRow]] = defaultdict(list)
    for row in rows:
        found[str(row.day)].append(row)
    return found


def _by_status(rows: Sequence[DaySumRow]) -> Mapping[OrderStatus, list[DaySumRow]]:
    """Sums by status; failed attempts stand beside the orders that failed."""
    found: defaultdict[OrderStatus, list[DaySumRow]] = defaultdict(list)
    for row in rows:
        status = OrderStatus.FAILED if row.measure == Measure.FAILURES else OrderStatus(int(row.status))
        found[status].append(row)
    return found


def _line(call: Call, key: str, name: str | None, rows: Sequence[DaySumRow]) -> SummaryLine:
    return summary_line(call, key, name, rows, money=own_contractor_id(call) is None)
