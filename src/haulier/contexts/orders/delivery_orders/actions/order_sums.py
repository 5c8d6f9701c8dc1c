"""Writes of delivery orders for other families: order sums."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from haulier.contexts.analytics.public import Measure, SumEntry, add_sums, hour_subject, withdrawn
from haulier.contexts.analytics.sums.rules import NOBODY
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    ENDED_STATUSES,
    FOLLOW_CARRIER,
    MOVED_STATUSES,
    NO_REASON,
    TERMINAL_STATUSES,
    OrderStatus,
    followed_status,
    local_day,
    local_hour,
    open_day,
    was_on_time,
)
from haulier.contexts.orders.delivery_orders.rules.order_sums import COUNTED_COLUMNS, order_sums
from haulier.contexts.orders.delivery_orders.rules.warnings import derive_order_day
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.lists import (
    Counted,
    list_uncounted_order_ids,
    list_undated_failures,
    set_counted,
    set_failure_dates,
)
from haulier.contexts.orders.events import OrderCancelled, OrderStatusChanged, PartnerOrderMoved
from haulier.contexts.orders.ports import OrderRoutes
from haulier.contexts.tracking.public import OrderJourney, list_order_journeys
from haulier.kernel.call import Call


def count_new_orders(call: Call, rows: Iterable[orders_store.OrderRow]) -> None:
    """Add new orders to the sums."""
    add_sums(call.work, [entry for row in rows for entry in order_sums(_counted(row))])


async def count_moved_orders(
    call: Call, rows: Collection[orders_store.OrderRow], status: OrderStatus, ended: Mapping[int, datetime]
) -> None:
    """Count orders, given in their earlier state, under their new status.

    `ended` is when each order reached it.
    """
    counted = {row.id: _counting(call, row, status, ended[row.id]) for row in rows}
    await set_counted(call.work, {row.id: counted[row.id] for row in rows if counted[row.id] != _written_counting(row)})
    for row in rows:
        now = counted[row.id]
        _recount(call, row, status=status, counted_day=now.day, counted_hour=now.hour, on_time=now.on_time)


def count_failures(
    call: Call, rows: Iterable[orders_store.OrderRow], at: datetime, reason: str | None
) -> dict[str, Any]:
    """Add failed attempts to the sums.

    Returns the columns of a change that record them, without its author.
    """
    day, hour, failure = local_day(at, call.time_zone), local_hour(at, call.time_zone), reason or NO_REASON
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
                hour_id=hour_subject(hour),
                count=1,
            )
            for row in rows
        ],
    )
    return {"failed_day": day, "failed_hour": hour, "failure": failure}


async def change_orders(call: Call, order_ids: Collection[int], **values: Any) -> None:
    """Update columns of orders that sums may depend on.

    A window without a day moves the day with it.
    """
    values = _with_day(call, values)
    rows = await orders_store.list_order_rows(call.work, order_ids, lock=True)
    await orders_store.update_orders(call.work, order_ids, **values)
    days = {row.id: _changed_day(call, row, values) for row in rows}
    moved = {
        row.id: Counted(day, row.counted_hour, row.on_time)
        for row in rows
        if (day := days[row.id]) and day != row.counted_day
    }
    await set_counted(call.work, moved)
    counted = {name: value for name, value in values.items() if name in COUNTED_COLUMNS}
    for row in rows:
        _recount(call, row, **counted, counted_day=days[row.id])


def _with_day(call: Call, values: dict[str, Any]) -> dict[str, Any]:
    start, end = values.get("window_start"), values.get("window_end")
    day = derive_order_day(values.get("scheduled_date"), start, end, call.time_zone)
    return values if day is None else {**values, "scheduled_date": day}


def _changed_day(call: Call, row: orders_store.OrderRow, values: Mapping[str, Any]) -> date | None:
    if "scheduled_date" not in values or row.status in ENDED_STATUSES:
        return row.counted_day
    return open_day(values["scheduled_date"], row.created_at, call.time_zone)


def _counting(call: Call, row: orders_store.OrderRow, status: OrderStatus, at: datetime) -> Counted:
    zone = call.time_zone
    if status not in ENDED_STATUSES:
        return Counted(open_day(row.scheduled_date, row.created_at, zone), None, None)
    judged = status is OrderStatus.DELIVERED
    on_time = was_on_time(at, row.window_end, row.scheduled_date, zone) if judged else None
    return Counted(local_day(at, zone), local_hour(at, zone), on_time)


def _written_counting(row: orders_store.OrderRow) -> Counted | None:
    return Counted(row.counted_day, row.counted_hour, row.on_time) if row.counted_day else None


def _recount(call: Call, row: orders_store.OrderRow, **changed: Any) -> None:
    before = _counted(row)
    after = {**before, **changed}
    if before != after:
        # An order without a counted day comes from an earlier version and was never counted.
        taken = [withdrawn(entry) for entry in order_sums(before)] if row.counted_day else []
        add_sums(call.work, [*taken, *(order_sums(after) if after["counted_day"] else [])])


def _counted(row: orders_store.OrderRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in COUNTED_COLUMNS}


async def count_orders_of_earlier_versions(call: Call, most: int = 500) -> int:
    """Set missing days and hours of orders and failed attempts of earlier versions.

    Updates up to `most` of each and returns their number. `correct_sums` corrects the sums afterwards.
    """
    ids = await list_uncounted_order_ids(call.work, most)
    rows = await orders_store.list_order_rows(call.work, ids)
    last = await orders_store.get_last_changes(call.work, ids)
    counted = {row.id: _counting(call, row, OrderStatus(row.status), _ended_at(row, last.get(row.id))) for row in rows}
    for row in rows:
        if row.counted_day:
            counted[row.id] = Counted(row.counted_day, counted[row.id].hour, row.on_time)
    await set_counted(call.work, counted)
    failures = await list_undated_failures(call.work, most)
    await set_failure_dates(
        call.work,
        [
            {
                "change": row.id,
                "day": row.failed_day or local_day(row.at, call.time_zone),
                "hour": local_hour(row.at, call.time_zone),
                "reason": row.failure or NO_REASON,
                "driver": row.route_driver_id,
                "contractor": row.contractor_id,
            }
            for row in failures
        ],
    )
    return len(rows) + len(failures)


def _ended_at(row: orders_store.OrderRow, last: orders_store.ChangeRow | None) -> datetime:
    return last.at if last else row.updated_at


REASON_MAX = 255


async def sync_orders_with_carriers(call: Call, order_ids: Collection[int]) -> None:
    """Update orders from the timelines of their parcels.

    Running it again changes nothing. Finished orders leave their route in the same transaction. Uses a constant number
    of statements, apart from those of routes.
    """
    # Routes are locked before their orders everywhere, so that two calls never wait for each other.
    await call.adapter(OrderRoutes).lock(call, order_ids)
    rows = await orders_store.list_order_rows(call.work, order_ids, lock=True)
    journeys = await list_order_journeys(call, [row.id for row in rows])
    over = [row.id for row in rows if row.status in TERMINAL_STATUSES]
    changes = await orders_store.list_change_rows_by_order(call.work, over)
    moves = dict(_moves(rows, journeys, changes))
    if moves:
        ended = {id: _moved_at(call, status, journeys[id]) for id, status in moves.items()}
        await move_orders(call, rows, moves, ended, {id: _carrier_names(journeys[id]) for id in moves})


async def move_orders(
    call: Call,
    rows: Collection[orders_store.OrderRow],
    moves: Mapping[int, OrderStatus],
    moved_at: Mapping[int, datetime],
    reasons: Mapping[int, str | None],
) -> None:
    """Move locked orders to the statuses that their carriers reported.

    Finished orders leave their route.
    """
    await _write_moves(call, rows, moves, moved_at, reasons)
    await _remove_from_routes(call, moves)
    await _publish_moves(call, moves, {row.id: row.partner_offer_id for row in rows})


def _moves(
    rows: Iterable[orders_store.OrderRow],
    journeys: Mapping[int, Sequence[OrderJourney]],
    changes: Mapping[int, Sequence[orders_store.ChangeRow]],
) -> Iterable[tuple[int, OrderStatus]]:
    """The new statuses of the orders that get one."""
    for row in rows:
        ends = [journey.end for journey in journeys.get(row.id, ())]
        steps = [(change.step, change.status) for change in changes.get(row.id, ())]
        if (status := followed_status(OrderStatus(row.status), ends, steps)) is not None:
            yield row.id, status


async def _write_moves(
    call: Call,
    rows: Collection[orders_store.OrderRow],
    moves: Mapping[int, OrderStatus],
    ended: Mapping[int, datetime],
    reasons: Mapping[int, str | None],
) -> None:
    for status in sorted(set(moves.values())):
        moving = [row for row in rows if moves.get(row.id) is status]
        await orders_store.update_order_status(
            call.work, [row.id for row in moving], status, call.now, moved=status in MOVED_STATUSES
        )
        await count_moved_orders(call, moving, status, ended)
    await orders_store.insert_order_changes(
        call.work,
        [
            {
                "order_id": id,
                "step": FOLLOW_CARRIER,
                "status": status.value,
                "at": ended[id],
                "recorded_at": call.now,
                "by_user_id": None,
                "reason": reasons[id],
            }
            for id, status in moves.items()
        ],
    )
    call.add_audit_subjects("order", *moves)


def _carrier_names(journeys: Iterable[OrderJourney]) -> str | None:
    names = dict.fromkeys(journey.ended_by for journey in journeys if journey.ended_by)
    return ", ".join(names)[:REASON_MAX] or None


def _moved_at(call: Call, status: OrderStatus, journeys: Iterable[OrderJourney]) -> datetime:
    return _carrier_ended_at(journeys) if status in TERMINAL_STATUSES else call.now


def _carrier_ended_at(journeys: Iterable[OrderJourney]) -> datetime:
    return max(journey.ended_at for journey in journeys if journey.ended_at)


async def _remove_from_routes(call: Call, moves: Mapping[int, OrderStatus]) -> None:
    routes = call.adapter(OrderRoutes)
    await routes.remove(call, [id for id, status in moves.items() if status in TERMINAL_STATUSES])
    await routes.end_assignments(call, [id for id, status in moves.items() if status is OrderStatus.CANCELLED])


async def _publish_moves(
    call: Call, moves: Mapping[int, OrderStatus], partner_offers: Mapping[int, int | None]
) -> None:
    for id, status in moves.items():
        await call.publish(OrderStatusChanged(order_id=id, step=FOLLOW_CARRIER, status=status.name))
        if offer_id := partner_offers[id]:
            await call.publish(PartnerOrderMoved(order_id=id, partner_offer_id=offer_id))
        if status is OrderStatus.CANCELLED:
            await call.publish(OrderCancelled(order_id=id))
