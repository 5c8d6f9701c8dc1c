"""Orders as those see them who sell deliveries: where each is, what it costs, the numbers of its pieces."""

from collections import defaultdict
from collections.abc import Collection
from datetime import date
from typing import Any

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.queries.visible_orders import find_picked_up_order_ids
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus, OrderStep, possible_order_steps
from haulier.contexts.orders.delivery_orders.rules.permissions import OrderState, may_customer_cancel
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account


class OrderedDelivery(Struct, frozen=True, kw_only=True):
    """An order of a local delivery."""

    id: int
    status: OrderStatus
    tracking_number: str
    piece_numbers: tuple[str, ...]
    """The tracking number of each piece; the first is that of the order."""
    name: str | None
    city: str | None
    scheduled_date: date | None
    price: dict[str, Any]
    """Its price document: `service`, `total`, `tax`, `lines`, `currency`."""
    can_be_cancelled: bool
    """By the one who asks, now."""


async def get_ordered_deliveries(call: Call, order_ids: Collection[int]) -> dict[int, OrderedDelivery]:
    """The client's orders among some ids. Three statements, however many."""
    if not order_ids:
        return {}
    rows = await store.list_order_rows(call.work, order_ids)
    pieces: defaultdict[int, list[str]] = defaultdict(list)
    for package in await store.list_order_package_rows(call.work, [row.id for row in rows]):
        pieces[package.order_id].append(package.tracking_number)
    collected = await find_picked_up_order_ids(call, rows)
    return {row.id: _delivery(call, row, pieces[row.id], collected=row.id in collected) for row in rows}


def _delivery(call: Call, row: store.OrderRow, pieces: list[str], *, collected: bool) -> OrderedDelivery:
    status = OrderStatus(row.status)
    state = OrderState(status=status, collected=collected)
    own = call.principal.account is Account.CUSTOMER
    cancellable = may_customer_cancel(state) if own else OrderStep.CANCEL in possible_order_steps(status)
    return OrderedDelivery(
        id=row.id,
        status=status,
        tracking_number=row.tracking_number,
        piece_numbers=tuple(pieces),
        name=row.stop_name,
        city=row.stop_city,
        scheduled_date=row.scheduled_date,
        price=row.price or {},
        can_be_cancelled=cancellable,
    )
