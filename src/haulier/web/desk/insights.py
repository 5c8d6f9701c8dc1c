"""Insights: order outcomes of a period by day, driver, contractor and customer."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.control_tower.overview.operations import get_orders_insights, get_orders_summary
from haulier.contexts.control_tower.overview.rules import SummaryGrouping
from haulier.contexts.control_tower.weekly_report.operations import get_weekly_report, preview_weekly_report
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.charts import BAR_SPACE, CHART_HEIGHT, BarParts, left_of, stack_parts
from haulier.web.desk.forms import form_of
from haulier.web.desk.live_parts import LivePart
from haulier.web.desk.pages import DeskRequest, field_faults, not_found, plain_answer
from haulier.web.desk.places import act_address, address_of

PRESETS = (7, 30, 90, 365)
"""Periods that are one tap away, in days up to today."""
PEOPLE = {
    SummaryGrouping.DRIVER: ("drivers", "drivers"),
    SummaryGrouping.CONTRACTOR: ("contractors", "users"),
    SummaryGrouping.CUSTOMER: ("customers", "customers"),
}
"""The groups of the answer that the page shows in turn, each with the noun of its records."""
PAUSE_S = 5.0
"""Minimum seconds between updates, as metrics of a busy business change all the time."""
BARS_MAX = 62
"""Longer periods are drawn by the week."""
DAYS_OF_WEEK = 7


class ChartBar(Struct, frozen=True, kw_only=True):
    """A day or week of the chart.

    Heights are relative to `CHART_HEIGHT`, from the bottom: delivered, failed, rest.
    """

    day: date
    left: int
    """Where it begins from the left; each bar has `BAR_SPACE` to itself."""
    orders: int
    delivered: int
    failed: int
    parts: BarParts


class Group(Struct, frozen=True, kw_only=True):
    """Drivers, contractors or customers, ordered by number of orders."""

    by: SummaryGrouping
    lines: Sequence[Mapping[str, Any]]
    rest: Sequence[tuple[str, Mapping[str, Any]]]
    """Named lines for all other orders and for orders without any."""
    more: int
    noun_address: str | None
    export: str


async def insights_page(desk: DeskRequest) -> Response:
    """Render the metrics of the period, by default the last thirty days."""
    if not desk.may(get_orders_insights):
        return not_found(desk)
    values, result = await _asked(desk)
    found = _shown(desk, plain_answer(result) if result.error is None else {})
    fields = form_of(get_orders_insights.request).fields({**values, **_days(found["answer"])}, desk.session.time_zone)
    return desk.page(
        "desk_insights.html",
        status_code=result.status,
        fields=[field for field in fields if field.name in {"date_from", "date_to"}],
        faults=field_faults(result),
        presets=[(days, desk.address_with(_last(desk, days))) for days in PRESETS],
        **(INSIGHTS.shown(desk, found) if found["answer"] else {}),
        letter=await desk.read(get_weekly_report, {}) if desk.may(get_weekly_report) else None,
        preview=preview_weekly_report,
        call=get_orders_insights,
        values=values,
    )


async def load_insights(desk: DeskRequest) -> dict[str, Any] | None:
    """Return metrics, bars and groups of the period, or None for an invalid period."""
    _, result = await _asked(desk)
    return _shown(desk, plain_answer(result)) if result.error is None else None


async def _asked(desk: DeskRequest) -> tuple[dict[str, Any], OperationResult]:
    form = form_of(get_orders_insights.request)
    values = form.values({name: desk.texts[name] for name in ("date_from", "date_to") if name in desk.texts}, "UTC")
    return values, await desk.call(get_orders_insights, values)


def _shown(desk: DeskRequest, answer: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "answer": answer,
        "bars": bars_of(answer["days"], *map(date.fromisoformat, _days(answer).values())) if answer else [],
        "chart": (CHART_HEIGHT, BAR_SPACE),
        "groups": list(_groups(desk, answer)),
        "export": _export(SummaryGrouping.DAY, _days(answer)),
    }


def bars_of(lines: Sequence[Mapping[str, Any]], first: date, last: date) -> list[ChartBar]:
    """Return the bars of a period, with gaps for days without orders."""
    if not lines:
        return []
    by_day = {date.fromisoformat(line["key"]): line for line in lines}
    step = timedelta(days=1)
    if (last - first).days >= BARS_MAX:
        first, step = first - timedelta(days=first.weekday()), timedelta(days=DAYS_OF_WEEK)
    starts = [first + step * at for at in range((last - first) // step + 1)]
    sums = [_sum(line for day, line in by_day.items() if start <= day < start + step) for start in starts]
    highest = max(orders for orders, _, _ in sums) or 1
    return [_bar(at, start, sums[at], highest) for at, start in enumerate(starts)]


def _sum(lines: Any) -> tuple[int, int, int]:
    """Orders, those delivered, and those that failed, came back or were rejected."""
    orders = delivered = failed = 0
    for line in lines:
        orders, delivered = orders + line["orders"], delivered + line["delivered"]
        failed += sum(
            each["orders"] for each in line["by_status"] if each["status"] in {"FAILED", "RETURNED", "REJECTED"}
        )
    return orders, delivered, failed


def _bar(at: int, day: date, counts: tuple[int, int, int], highest: int) -> ChartBar:
    orders, delivered, failed = counts
    parts = stack_parts([("good", delivered), ("bad", failed), ("rest", orders - delivered - failed)], highest)
    return ChartBar(day=day, left=left_of(at), orders=orders, delivered=delivered, failed=failed, parts=parts)


def _groups(desk: DeskRequest, answer: Mapping[str, Any]) -> Iterator[Group]:
    """Return orders by driver, contractor and customer that the caller may see."""
    for by, (name, records) in PEOPLE.items():
        group = answer.get(name) or {}
        noun = desk.places.nouns.by_key.get(records)
        if group.get("lines") or group.get("nobody"):
            yield Group(
                by=by,
                lines=group["lines"],
                rest=[
                    (desk.say(f"desk.line_{rest}_{by.value}"), group[rest])
                    for rest in ("others", "nobody")
                    if group.get(rest)
                ],
                more=group["count"] - len(group["lines"]),
                noun_address=address_of(noun) if noun and desk.may(noun.record or noun.listing) else None,
                export=_export(by, _days(answer)),
            )


def _days(answer: Mapping[str, Any]) -> dict[str, str]:
    return {name: answer[name] for name in ("date_from", "date_to") if name in answer}


def _last(desk: DeskRequest, days: int) -> dict[str, str]:
    """Return the given number of days up to today in the business's time zone."""
    return {"date_from": str(desk.today - timedelta(days=days - 1)), "date_to": str(desk.today)}


def _export(by: SummaryGrouping, days: Mapping[str, str]) -> str:
    return act_address(get_orders_summary, **days, group_by=by.value, format="csv", download=1)


INSIGHTS = LivePart(
    name="insights",
    template="desk_insights_live.html",
    load=load_insights,
    reads=(get_orders_insights,),
    about=("order",),
    pause_s=PAUSE_S,
)
