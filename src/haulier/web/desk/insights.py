"""Insights: order outcomes by day, weekday, hour, driver, contractor and customer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Any
from urllib.parse import urlencode

from babel.numbers import format_decimal, format_percent
from msgspec import Struct, structs
from starlette.responses import Response

from haulier.contexts.control_tower.overview.operations import get_orders_insights, get_orders_summary
from haulier.contexts.control_tower.overview.rules import SummaryGrouping
from haulier.contexts.control_tower.weekly_report.operations import get_weekly_report, preview_weekly_report
from haulier.contexts.orders.delivery_orders.operations.query import get_orders
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.charts import BAR_SPACE, CHART_HEIGHT, BarParts, Heat, heat_of, left_of, stack_parts
from haulier.web.desk.forms import form_of
from haulier.web.desk.live_parts import LivePart
from haulier.web.desk.pages import DeskRequest, field_faults, not_found, plain_answer
from haulier.web.desk.places import act_address, address_of
from haulier.web.kinds.writing import hour_name, weekday_name

PRESETS = (7, 30, 90, 365)
"""Periods that are one tap away, in days up to today."""
PEOPLE = {
    SummaryGrouping.DRIVER: ("drivers", "drivers"),
    SummaryGrouping.CONTRACTOR: ("contractors", "users"),
    SummaryGrouping.CUSTOMER: ("customers", "customers"),
}
"""The groups of the answer that the page shows in turn, each with the noun of its records."""
ASKED = ("date_from", "date_to", "compare")
"""Fields of the filter."""
CHANGES = {"on_time_share": "on_time_points", "rating_average": "rating_points"}
"""Fields of changes that are no shares of the earlier number."""
FAILED = ("FAILED", "RETURNED", "REJECTED")
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
    before: int | None
    """Orders of the compared day or week."""
    mark: float
    """Where the mark for the compared orders stands, from above."""
    link: str | None
    """List of its orders."""


class Change(Struct, frozen=True):
    """Value of the compared period with the change since then."""

    text: str
    mood: str


class Group(Struct, frozen=True, kw_only=True):
    """Drivers, contractors or customers by number of orders, or weekdays or hours.

    Weekdays begin with Monday, hours with the first of the day.
    """

    by: SummaryGrouping
    lines: Sequence[Mapping[str, Any]]
    rest: Sequence[tuple[str, Mapping[str, Any]]]
    """Named lines for all other orders and for orders without any."""
    links: Mapping[str, Mapping[str, str]]
    """Lists of the orders behind each line, by key and column."""
    more: int
    noun_address: str | None
    export: str
    heat: Heat | None = None
    """Heat map beside the lines of hours."""


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
        fields=[structs.replace(field, hint="") for field in fields if field.name in ASKED],
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
    values = form.values({name: desk.texts[name] for name in ASKED if name in desk.texts}, "UTC")
    return values, await desk.call(get_orders_insights, values)


def _shown(desk: DeskRequest, answer: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "answer": answer,
        "bars": _bars(desk, answer) if answer else [],
        "links": _links_of(desk, answer, {}) if answer else {},
        "reason_link": partial(_reason_link, desk, answer),
        "change_of": partial(change_of, desk),
        "weekday_name": partial(weekday_name, habits=desk.habits),
        "hour_name": partial(hour_name, habits=desk.habits),
        "chart": (CHART_HEIGHT, BAR_SPACE),
        "groups": list(_groups(desk, answer)),
        "export": _export(SummaryGrouping.DAY, _days(answer)),
    }


def _bars(desk: DeskRequest, answer: Mapping[str, Any]) -> list[ChartBar]:
    first, last = map(date.fromisoformat, _days(answer).values())
    return bars_of(answer["days"], first, last, partial(_order_list, desk))


def bars_of(
    lines: Sequence[Mapping[str, Any]], first: date, last: date, link: Callable[..., str | None] = lambda **_: None
) -> list[ChartBar]:
    """Return the bars of a period, with gaps for days without orders."""
    if not lines:
        return []
    by_day = {date.fromisoformat(line["key"]): line for line in lines}
    begins, step = first, timedelta(days=1)
    if (last - first).days >= BARS_MAX:
        begins, step = first - timedelta(days=first.weekday()), timedelta(days=DAYS_OF_WEEK)
    starts = [begins + step * at for at in range((last - begins) // step + 1)]
    sums = [_sum([line for day, line in by_day.items() if start <= day < start + step]) for start in starts]
    highest = max(max(each.orders, each.before or 0) for each in sums) or 1
    days = [(max(start, first), min(start + step - timedelta(days=1), last)) for start in starts]
    links = [link(counted_from=since, counted_to=until) for since, until in days]
    return [_bar(at, start, sums[at], highest, links[at]) for at, start in enumerate(starts)]


class BarSum(Struct, frozen=True):
    """Numbers of a bar.

    `failed` includes returned and rejected orders, `before` has the orders of the compared days.
    """

    orders: int
    delivered: int
    failed: int
    before: int | None


def _sum(lines: Sequence[Mapping[str, Any]]) -> BarSum:
    failed = sum(each["orders"] for line in lines for each in line["by_status"] if each["status"] in FAILED)
    before = [line["compared"]["orders"] for line in lines if "compared" in line]
    orders, delivered = (sum(line[name] for line in lines) for name in ("orders", "delivered"))
    return BarSum(orders, delivered, failed, sum(before) if before else None)


def _bar(at: int, day: date, counts: BarSum, highest: int, link: str | None) -> ChartBar:
    rest = counts.orders - counts.delivered - counts.failed
    return ChartBar(
        day=day,
        left=left_of(at),
        orders=counts.orders,
        delivered=counts.delivered,
        failed=counts.failed,
        parts=stack_parts([("good", counts.delivered), ("bad", counts.failed), ("rest", rest)], highest),
        before=counts.before,
        mark=round(CHART_HEIGHT * (1 - (counts.before or 0) / highest), 2),
        link=link if counts.orders else None,
    )


def _order_list(desk: DeskRequest, **filters: Any) -> str | None:
    """Return the address of a filtered order list, or None without access."""
    return f"/desk/orders?{urlencode(filters, doseq=True)}" if desk.may(get_orders) else None


def _links_of(
    desk: DeskRequest, answer: Mapping[str, Any], party: Mapping[str, Any], *, attempts: bool = True
) -> dict[str, str]:
    """Return the lists of orders behind the numbers of a line, by column."""
    first, last = _days(answer).values()
    counted = {"counted_from": first, "counted_to": last, **party}
    found = {
        "orders": _order_list(desk, **counted),
        "delivered": _order_list(desk, **counted, status="DELIVERED"),
        "on_time_share": _order_list(desk, **counted, on_time="false"),
        "rating_average": _order_list(desk, **counted, rating_min=1),
        "failed_attempts": _order_list(desk, failed_from=first, failed_to=last, **party) if attempts else None,
    }
    return {name: link for name, link in found.items() if link}


def _reason_link(desk: DeskRequest, answer: Mapping[str, Any], reason: str) -> str | None:
    first, last = _days(answer).values()
    return _order_list(desk, failed_from=first, failed_to=last, failure_reason=reason)


def change_of(desk: DeskRequest, name: str, line: Mapping[str, Any]) -> Change | None:
    """Return the compared value with the change, or None without comparison."""
    before = line.get("compared")
    if not before:
        return None
    value = desk.reader.cell(name, before[name], before).text
    change = before[CHANGES.get(name, f"{name}_change")]
    if change is None:
        return Change(desk.say("desk.before", value=value), "soft")
    signed = "+" if change > 0 else ""
    number = format_decimal(change, "#,##0.##", locale=desk.formatter.locale)
    points = desk.say("desk.points", count=signed + number) if name == "on_time_share" else ""
    percent = signed + (number if name == "rating_average" else format_percent(change, locale=desk.formatter.locale))
    return Change(desk.say("desk.before_change", value=value, change=points or percent), _mood(name, change))


def _mood(name: str, change: float) -> str:
    if name == "orders" or not change:
        return "soft"
    return "good" if (change > 0) is (name != "failed_attempts") else "bad"


def _groups(desk: DeskRequest, answer: Mapping[str, Any]) -> Iterator[Group]:
    """Return orders by weekday, hour, driver, contractor and customer, if visible."""
    if answer.get("weekdays"):
        yield _weekday_group(desk, answer)
    if answer.get("hours"):
        yield _hour_group(desk, answer)
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
                links=_group_links(desk, answer, by, group),
                more=group["count"] - len(group["lines"]),
                noun_address=address_of(noun) if noun and desk.may(noun.record or noun.listing) else None,
                export=_export(by, _days(answer)),
            )


def _weekday_group(desk: DeskRequest, answer: Mapping[str, Any]) -> Group:
    lines = answer["weekdays"]
    return Group(
        by=SummaryGrouping.WEEKDAY,
        lines=[{**line, "name": weekday_name(int(line["key"]), desk.habits)} for line in lines],
        rest=(),
        links={line["key"]: _links_of(desk, answer, {"weekday": line["key"]}) for line in lines},
        more=0,
        noun_address=None,
        export=_export(SummaryGrouping.WEEKDAY, _days(answer)),
    )


def _hour_group(desk: DeskRequest, answer: Mapping[str, Any]) -> Group:
    lines = {line["key"]: line for line in answer["hours"]}
    nobody = lines.pop("", None)
    links = {key: _links_of(desk, answer, {"hour": key}) for key in lines}
    return Group(
        by=SummaryGrouping.HOUR,
        lines=[{**line, "name": hour_name(int(key), desk.habits)} for key, line in lines.items()],
        rest=[(desk.say("desk.line_nobody_hour"), nobody)] if nobody else (),
        links={**links, "": _links_of(desk, answer, {"without": "hour"}, attempts=False)},
        more=0,
        noun_address=None,
        export=_export(SummaryGrouping.HOUR, _days(answer)),
        heat=heat_of(answer["weekday_hours"], partial(_cell_links, desk, answer)),
    )


def _cell_links(
    desk: DeskRequest, answer: Mapping[str, Any], place: Mapping[str, int]
) -> tuple[str | None, str | None]:
    links = _links_of(desk, answer, place)
    return links.get("delivered"), links.get("failed_attempts")


def _group_links(
    desk: DeskRequest, answer: Mapping[str, Any], by: SummaryGrouping, group: Mapping[str, Any]
) -> dict[str, dict[str, str]]:
    """Return the links of each line by key. The others together have none."""
    by_customer = by is SummaryGrouping.CUSTOMER
    attempts = by_customer or by is SummaryGrouping.DRIVER
    found = {
        line["key"]: _links_of(desk, answer, {f"{by.value}_id": line["key"]}, attempts=attempts)
        for line in group["lines"]
    }
    return {**found, "": _links_of(desk, answer, {"without": by.value}, attempts=by_customer)}


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
