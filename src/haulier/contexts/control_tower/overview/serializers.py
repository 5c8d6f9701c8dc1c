"""Answers from sums."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import UNSET

from haulier.contexts.analytics.public import DaySumRow, Measure
from haulier.contexts.control_tower.overview.contract import (
    ComparedCounts,
    EarningsLine,
    FailureCount,
    InsightsLine,
    OrderCounts,
    OrderMoney,
    StatusCount,
    SummaryLine,
    WeekdayHour,
)
from haulier.contexts.control_tower.overview.queries import own_contractor_id
from haulier.contexts.control_tower.overview.rules import share
from haulier.contexts.orders.public import OrderStatus
from haulier.kernel.call import Call
from haulier.kernel.values.csv_text import csv_text

SUMMARY_COLUMNS = (
    *("key", "name", "orders", "delivered", "judged", "on_time", "on_time_share", "failed_attempts"),
    *("returned", "rejected", "cancelled", "currency", "ordered_minor", "delivered_minor"),
    *("ratings", "rating_average"),
)
COMPARED_NUMBERS = ("orders", "delivered", "failed_attempts")
EARNINGS_COLUMNS = ("subject_id", "name", "currency", "delivered", "revenue_minor", "pay_minor")


def order_counts(rows: Iterable[DaySumRow]) -> dict[str, Any]:
    """Return the fields of `OrderCounts`, of sums of orders and of failed attempts."""
    by_status, reasons, stars = Counter[OrderStatus](), Counter[str](), Counter[int]()
    judged = on_time = 0
    for row in rows:
        if row.measure == Measure.ORDERS:
            by_status[OrderStatus(int(row.status))] += row.count
            judged, on_time = judged + row.judged, on_time + row.on_time
        elif row.measure == Measure.FAILURES:
            reasons[row.reason] += row.count
        elif row.measure == Measure.RATINGS:
            stars[int(row.status)] += row.count
    return {
        "orders": by_status.total(),
        "by_status": [StatusCount(status=each.name, orders=n) for each, n in sorted(by_status.items()) if n],
        "delivered": by_status[OrderStatus.DELIVERED],
        "judged": judged,
        "on_time": on_time,
        "on_time_share": share(on_time, judged),
        "failed_attempts": reasons.total(),
        "failed_by_reason": [
            FailureCount(reason=reason, attempts=n) for reason, n in sorted(reasons.items(), key=_most_first) if n
        ],
        "ratings": stars.total(),
        "rating_average": share(sum(each * n for each, n in stars.items()), stars.total(), 2),
    }


def _most_first(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]


def order_counts_record(rows: Iterable[DaySumRow]) -> OrderCounts:
    """Return orders by what became of them."""
    return OrderCounts(**order_counts(rows))


def summary_line(call: Call, key: str, name: str | None, rows: Sequence[DaySumRow], *, money: bool) -> SummaryLine:
    """Return a line of a summary."""
    shown = order_money(call, rows) if money else UNSET
    return SummaryLine(key=key, name=name, money=shown, **order_counts(rows))


def insights_line(
    call: Call, key: str, name: str | None, rows: Iterable[DaySumRow], earlier: Iterable[DaySumRow] | None
) -> InsightsLine:
    """Return a line of insights, with the compared period if its sums are given."""
    rows = list(rows)
    counts = order_counts(rows)
    money = order_money(call, rows) if own_contractor_id(call) is None else UNSET
    compared = UNSET if earlier is None else _compared_counts(counts, order_counts(earlier))
    return InsightsLine(key=key, name=name, money=money, compared=compared, **counts)


def hour_key(subject: int) -> str:
    """Return the key of an hour's line, which is empty for open orders."""
    return str(subject - 1) if subject else ""


def weekday_hours(rows: Iterable[DaySumRow]) -> list[WeekdayHour]:
    """Return deliveries and failed attempts by weekday and hour, of sums by both."""
    found: defaultdict[tuple[int, int], list[DaySumRow]] = defaultdict(list)
    for row in rows:
        if row.day and row.subject_id:
            found[row.day.isoweekday(), row.subject_id - 1].append(row)
    counted = {place: order_counts(own) for place, own in sorted(found.items())}
    names = ("delivered", "judged", "on_time", "failed_attempts")
    return [
        WeekdayHour(weekday=weekday, hour=hour, **{name: counts[name] for name in names})
        for (weekday, hour), counts in counted.items()
        if counts["delivered"] or counts["failed_attempts"]
    ]


def _compared_counts(now: Mapping[str, Any], before: Mapping[str, Any]) -> ComparedCounts:
    changes: dict[str, Any] = {
        f"{name}_change": share(now[name] - before[name], before[name]) for name in COMPARED_NUMBERS
    }
    return ComparedCounts(
        **before,
        **changes,
        on_time_points=_difference(now["on_time_share"], before["on_time_share"], 100),
        rating_points=_difference(now["rating_average"], before["rating_average"]),
    )


def _difference(now: float | None, before: float | None, times: int = 1) -> float | None:
    return None if now is None or before is None else round(times * (now - before), 2)


def order_money(call: Call, rows: Iterable[DaySumRow]) -> list[OrderMoney]:
    """Return prices of orders by currency.

    Old prices without one are in the business's.
    """
    ordered, delivered = Counter[str](), Counter[str]()
    for row in rows:
        if row.measure == Measure.ORDERS and row.minor:
            status, currency = OrderStatus(int(row.status)), row.currency or call.business.currency
            ordered[currency] += 0 if status is OrderStatus.CANCELLED else row.minor
            delivered[currency] += row.minor if status is OrderStatus.DELIVERED else 0
    return [
        OrderMoney(currency=currency, ordered_minor=ordered[currency], delivered_minor=delivered[currency])
        for currency in sorted(ordered)
    ]


def summary_csv(lines: Iterable[SummaryLine]) -> str:
    """Return a summary as CSV: a row for each line and currency."""
    rows: list[list[Any]] = []
    for line in lines:
        by_status = {each.status: each.orders for each in line.by_status}
        counts = [getattr(line, name) for name in SUMMARY_COLUMNS[:8]]
        counts += [by_status.get(name.upper(), 0) for name in SUMMARY_COLUMNS[8:11]]
        for money in line.money or [None]:
            amounts = [_given(getattr(money, name, None)) for name in SUMMARY_COLUMNS[11:14]]
            rows.append([*counts, *amounts, line.ratings, line.rating_average])
    return csv_text(SUMMARY_COLUMNS, rows)


def earnings_report_csv(lines: Iterable[EarningsLine]) -> str:
    """Return a report of earnings as a CSV document, a row each."""
    return csv_text(EARNINGS_COLUMNS, ([_given(getattr(line, name)) for name in EARNINGS_COLUMNS] for line in lines))


def _given(value: Any) -> Any:
    return None if value is UNSET else value
