"""Statements of customer pickups, which are orders."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, func, or_, select

from haulier.contexts.orders.delivery_orders.rules.lifecycle import PICKUP_FULFILMENT, TERMINAL_STATUSES, OrderStatus
from haulier.contexts.orders.delivery_orders.rules.pickups import OPEN_STATES, PickupState
from haulier.contexts.orders.delivery_orders.store.orders import OrderRow, order_conditions
from haulier.contexts.orders.delivery_orders.store.tables import orders
from haulier.contexts.orders.delivery_pins.store import delivery_pins
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_o = orders.c
_FOR_PICKUP = (_o.pickup_depot_id.is_not(None), _o.fulfilment == PICKUP_FULFILMENT)


def _in_state(state: PickupState, today: date) -> ColumnElement[bool]:
    is_open, ready = _o.status.not_in(sorted(TERMINAL_STATUSES)), _o.pickup_ready_at.is_not(None)
    late = _o.pickup_until < today
    return {
        PickupState.PREPARING: is_open & _o.pickup_ready_at.is_(None),
        PickupState.READY: is_open & ready & ~func.coalesce(late, False),
        PickupState.OVERDUE: is_open & ready & late,
        PickupState.HANDED_OVER: _o.status == OrderStatus.DELIVERED.value,
        PickupState.CANCELLED: _o.status.in_(sorted(TERMINAL_STATUSES - {OrderStatus.DELIVERED})),
    }[state]


def _found_by(search: str) -> ColumnElement[bool]:
    """Return the condition that an order has a text, or a pickup code if it is ready."""
    with_pin = select(delivery_pins.c.order_id).where(delivery_pins.c.pin == search.strip())
    return or_(*order_conditions({"search": search}), _o.pickup_ready_at.is_not(None) & _o.id.in_(with_pin))


async def list_pickup_rows(
    work: UnitOfWork,
    *,
    state: PickupState | None,
    depot_id: int | None,
    search: str | None,
    today: date,
    limit: int,
    offset: int,
) -> tuple[Sequence[OrderRow], int]:
    """Return a page of matching pickups, the earliest due first, and their count.

    Counting stops one above `MAX_COUNT`.
    """
    states = OPEN_STATES if state is None else (state,)
    where: list[Any] = [*_FOR_PICKUP, or_(*(_in_state(each, today) for each in states))]
    if depot_id is not None:
        where.append(_o.pickup_depot_id == depot_id)
    if search is not None:
        where.append(_found_by(search))
    page = select(orders).where(*where).order_by(_o.pickup_until.asc().nulls_last(), _o.id).limit(limit).offset(offset)
    counted = select(_o.id).where(*where).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, OrderRow), await work.value(select(func.count()).select_from(counted))
