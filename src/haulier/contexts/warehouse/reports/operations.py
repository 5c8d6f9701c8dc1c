"""Operations on stock reports."""

from datetime import date, datetime, time, timedelta

from msgspec import UNSET

from haulier.contexts.warehouse.reports import store
from haulier.contexts.warehouse.reports.contract import AbcReport, GetAbcReport, GetStockAge, StockAgeReport
from haulier.contexts.warehouse.reports.rules import AGE_LIMITS_DAYS
from haulier.contexts.warehouse.reports.serializers import (
    abc_csv,
    abc_lines,
    age_csv,
    age_line,
    age_totals,
    class_totals,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

CSV = Representations((Representation("text/csv", "csv"),), data_field="document", media_type_field="media_type")
DAYS_LEFT_OUT, MAX_DAYS = 89, 366
NOTHING_CAME = (0,) * len(AGE_LIMITS_DAYS)


@reads(
    "get_abc_report",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/reports/abc", representations=CSV), GraphQL("abcReport")),
)
async def get_abc_report(call: Call, request: GetAbcReport) -> AbcReport:
    """Get the ABC report of products.

    Ranks products by what left the warehouse in a period and sorts them into the classes A, B and C. Also available as
    CSV.
    """
    first, last = _days(call, request)
    if request.b_percent < request.a_percent:
        raise INVALID_REQUEST.for_fields(FieldError("b_percent", "field.greater_than_equal", {"ge": request.a_percent}))
    rows = await store.list_left(
        call.work,
        since=_midnight(call, first),
        until=_midnight(call, last + timedelta(days=1)),
        warehouse_id=request.warehouse_id,
    )
    ranked = abc_lines(rows, request.measure, request.a_percent, request.b_percent)
    lines = [line for line in ranked if request.abc_class in (None, line.abc_class)]
    return AbcReport(
        total=len(lines),
        page=request.page,
        per_page=request.per_page,
        date_from=first,
        date_to=last,
        measure=request.measure,
        currency=call.business.currency,
        classes=class_totals(ranked),
        lines=lines[request.offset : request.offset + request.per_page],
        document=abc_csv(lines) if request.format else UNSET,
    )


def _midnight(call: Call, day: date) -> datetime:
    return datetime.combine(day, time(), call.time_zone)


def _days(call: Call, request: GetAbcReport) -> tuple[date, date]:
    last = request.date_to or call.today
    first = request.date_from or last - timedelta(days=DAYS_LEFT_OUT)
    if not 0 <= (last - first).days < MAX_DAYS:
        raise INVALID_REQUEST.for_fields(FieldError("date_from", "field.report_period", {"days": MAX_DAYS}))
    return first, last


@reads(
    "get_stock_age",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/reports/age", representations=CSV), GraphQL("stockAge")),
)
async def get_stock_age(call: Call, request: GetStockAge) -> StockAgeReport:
    """Get the age of stock.

    Assumes first in, first out. Also available as CSV.
    """
    limits = [call.now - timedelta(days=days) for days in AGE_LIMITS_DAYS]
    held = await store.list_held(call.work, request.warehouse_id)
    came = await store.sum_came(call.work, [row.id for row in held], limits, request.warehouse_id)
    lines = [age_line(row, came.get(row.id, NOTHING_CAME)) for row in held]
    return StockAgeReport(
        total=len(lines),
        page=request.page,
        per_page=request.per_page,
        currency=call.business.currency,
        ages=age_totals(lines),
        lines=lines[request.offset : request.offset + request.per_page],
        document=age_csv(lines) if request.format else UNSET,
    )
