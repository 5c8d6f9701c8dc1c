"""Orders end when the carrier they were entrusted to says so, and are open again when it takes that back."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from haulier.contexts.orders.delivery_orders.actions.order_sums import count_moved_orders
from haulier.contexts.orders.delivery_orders.rules.carrier_ends import followed_status
from haulier.contexts.orders.delivery_orders.rules.lifecycle import FOLLOW_CARRIER, TERMINAL_STATUSES, OrderStatus
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.events import OrderCancelled, OrderStatusChanged, PartnerOrderMoved
from haulier.contexts.orders.ports import OrderRoutes
from haulier.contexts.tracking.public import OrderJourney, list_order_journeys
from haulier.kernel.call import Call

REASON_MAX = 255


async def follow_carriers(call: Call, order_ids: Collection[int]) -> None:
    """Bring orders to where the timelines of their parcels say they are. Doing it again changes nothing.

    What ends leaves its route, in the same transaction. A constant number of statements, save for those of routes.
    """
    # Why: routes are locked before their orders everywhere, so that two calls never wait for each other.
    await call.adapter(OrderRoutes).lock(call, order_ids)
    rows = await store.list_order_rows(call.work, order_ids, lock=True)
    journeys = await list_order_journeys(call, [row.id for row in rows])
    over = [row.id for row in rows if row.status in TERMINAL_STATUSES]
    changes = await store.list_change_rows_by_order(call.work, over)
    moves = dict(_moves(rows, journeys, changes))
    if moves:
        await _write_moves(call, rows, moves, journeys)
        await _leave_routes(call, moves)
        await _publish_moves(call, moves, {row.id: row.partner_offer_id for row in rows})


def _moves(
    rows: Iterable[store.OrderRow],
    journeys: Mapping[int, Sequence[OrderJourney]],
    changes: Mapping[int, Sequence[store.ChangeRow]],
) -> Iterable[tuple[int, OrderStatus]]:
    """The new statuses of the orders that get one."""
    for row in rows:
        ends = [journey.end for journey in journeys.get(row.id, ())]
        steps = [(change.step, change.status) for change in changes.get(row.id, ())]
        if (status := followed_status(OrderStatus(row.status), ends, steps)) is not None:
            yield row.id, status


async def _write_moves(
    call: Call,
    rows: Collection[store.OrderRow],
    moves: Mapping[int, OrderStatus],
    journeys: Mapping[int, Sequence[OrderJourney]],
) -> None:
    ended = {id: _moved_at(call, status, journeys[id]) for id, status in moves.items()}
    for status in sorted(set(moves.values())):
        moving = [row for row in rows if moves.get(row.id) is status]
        await store.update_order_status(call.work, [row.id for row in moving], status, call.now)
        await count_moved_orders(call, moving, status, ended)
    await store.insert_order_changes(
        call.work,
        [
            {
                "order_id": id,
                "step": FOLLOW_CARRIER,
                "status": status.value,
                "at": ended[id],
                "recorded_at": call.now,
                "by_user_id": None,
                "reason": _carrier_names(journeys[id]),
            }
            for id, status in moves.items()
        ],
    )
    call.add_audit_subjects("order", *moves)


def _carrier_names(journeys: Iterable[OrderJourney]) -> str | None:
    names = dict.fromkeys(journey.ended_by for journey in journeys if journey.ended_by)
    return ", ".join(names)[:REASON_MAX] or None


def _moved_at(call: Call, status: OrderStatus, journeys: Iterable[OrderJourney]) -> datetime:
    return _ended_at(journeys) if status in TERMINAL_STATUSES else call.now


def _ended_at(journeys: Iterable[OrderJourney]) -> datetime:
    return max(journey.ended_at for journey in journeys if journey.ended_at)


async def _leave_routes(call: Call, moves: Mapping[int, OrderStatus]) -> None:
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
