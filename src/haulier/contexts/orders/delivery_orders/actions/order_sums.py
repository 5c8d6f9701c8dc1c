"""Orders change, and the sums by day with them, in one transaction."""

from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from typing import Any

from haulier.contexts.analytics.public import Measure, SumEntry, add_sums, withdrawn
from haulier.contexts.analytics.sums.rules import NOBODY
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.delivery_orders.rules.order_days import derive_order_day
from haulier.contexts.orders.delivery_orders.rules.order_sums import (
    COUNTED_COLUMNS,
    ENDED_STATUSES,
    NO_REASON,
    local_day,
    open_day,
    order_sum,
    was_on_time,
)
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.delivery_orders.store.counted import (
    date_failures,
    list_uncounted_order_ids,
    list_undated_failures,
    set_counted,
)
from haulier.kernel.call import Call


def count_new_orders(call: Call, rows: Iterable[store.OrderRow]) -> None:
    """Add new orders to the sums."""
    add_sums(call.work, [order_sum(_counted(row)) for row in rows])


async def count_moved_orders(
    call: Call, rows: Collection[store.OrderRow], status: OrderStatus, ended: Mapping[int, datetime]
) -> None:
    """Count orders, given as they were, under the status that they have now. `ended` is when each came to it."""
    counted = {row.id: _day_and_punctuality(call, row, status, ended[row.id]) for row in rows}
    before = {row.id: (row.counted_day, row.on_time) for row in rows}
    await set_counted(call.work, {id: now for id, now in counted.items() if now != before[id]})
    for row in rows:
        day, on_time = counted[row.id]
        _recount(call, row, status=status, counted_day=day, on_time=on_time)


def count_failures(call: Call, rows: Iterable[store.OrderRow], at: datetime, reason: str | None) -> dict[str, Any]:
    """Add failed attempts to the sums. Returns the columns of a change that say so, besides who made it."""
    day, failure = local_day(at, call.time_zone), reason or NO_REASON
    add_sums(
        call.work,
        [
            SumEntry(
                measure=Measure.FAILURES,
                day=day,
                reason=failure,
                customer_id=row.customer_id or NOBODY,
                driver_id=row.route_driver_id or NOBODY,
                contractor_id=row.contractor_id or NOBODY,
                count=1,
            )
            for row in rows
        ],
    )
    return {"failed_day": day, "failure": failure}


async def change_orders(call: Call, order_ids: Collection[int], **values: Any) -> None:
    """Set columns of some orders that sums may depend on. A window without a day moves the day with it."""
    values = _with_day(call, values)
    rows = await store.list_order_rows(call.work, order_ids, lock=True)
    await store.update_orders(call.work, order_ids, **values)
    days = {row.id: _changed_day(call, row, values) for row in rows}
    moved = {row.id: (day, row.on_time) for row in rows if (day := days[row.id]) and day != row.counted_day}
    await set_counted(call.work, moved)
    counted = {name: value for name, value in values.items() if name in COUNTED_COLUMNS}
    for row in rows:
        _recount(call, row, **counted, counted_day=days[row.id])


def _with_day(call: Call, values: dict[str, Any]) -> dict[str, Any]:
    start, end = values.get("window_start"), values.get("window_end")
    day = derive_order_day(values.get("scheduled_date"), start, end, call.time_zone)
    return values if day is None else {**values, "scheduled_date": day}


def _changed_day(call: Call, row: store.OrderRow, values: Mapping[str, Any]) -> date | None:
    if "scheduled_date" not in values or row.status in ENDED_STATUSES:
        return row.counted_day
    return open_day(values["scheduled_date"], row.created_at, call.time_zone)


def _day_and_punctuality(
    call: Call, row: store.OrderRow, status: OrderStatus, at: datetime
) -> tuple[date, bool | None]:
    zone = call.time_zone
    if status not in ENDED_STATUSES:
        return open_day(row.scheduled_date, row.created_at, zone), None
    judged = status is OrderStatus.DELIVERED
    return local_day(at, zone), was_on_time(at, row.window_end, row.scheduled_date, zone) if judged else None


def _recount(call: Call, row: store.OrderRow, **changed: Any) -> None:
    before = _counted(row)
    after = {**before, **changed}
    if before != after:
        # Why not withdrawn where it has no day: it is of an earlier version, and was never counted.
        taken = [withdrawn(order_sum(before))] if row.counted_day else []
        add_sums(call.work, [*taken, *([order_sum(after)] if after["counted_day"] else [])])


def _counted(row: store.OrderRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in COUNTED_COLUMNS}


async def count_orders_of_earlier_versions(call: Call, most: int = 500) -> int:
    """Give orders and failed attempts that were written before there were sums the day they count for.

    Returns how many there were, up to `most` of each. The sums are put right afterwards, by `correct_sums`.
    """
    ids = await list_uncounted_order_ids(call.work, most)
    rows = await store.list_order_rows(call.work, ids)
    last = await store.get_last_changes(call.work, ids)
    days = {
        row.id: _day_and_punctuality(call, row, OrderStatus(row.status), _ended_at(row, last.get(row.id)))
        for row in rows
    }
    await set_counted(call.work, days)
    failures = await list_undated_failures(call.work, most)
    await date_failures(
        call.work,
        [
            {
                "change": row.id,
                "day": local_day(row.at, call.time_zone),
                "driver": row.route_driver_id,
                "contractor": row.contractor_id,
            }
            for row in failures
        ],
    )
    return len(rows) + len(failures)


def _ended_at(row: store.OrderRow, last: store.ChangeRow | None) -> datetime:
    return last.at if last else row.updated_at
