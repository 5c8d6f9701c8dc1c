"""Returns of orders, their refunds and refundable charges."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from haulier.contexts.billing.public import SubjectCharge, list_charges_of
from haulier.contexts.identity.public import is_customer
from haulier.contexts.orders.delivery_orders.queries.order_facts import list_order_pieces
from haulier.contexts.orders.delivery_orders.queries.order_goods import load_order_goods
from haulier.contexts.orders.order_returns import store
from haulier.contexts.orders.order_returns.rules import (
    OrderReturnState,
    RefundState,
    ReturnableItem,
    ReturnMethod,
    count_returned,
)
from haulier.contexts.orders.order_returns.store import OrderReturnRow
from haulier.contexts.orders.ports import OrderShipments
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found

ORDER_SUBJECT, LABEL_SUBJECT = "order", "label"
"""Kinds of the subjects of charges: local deliveries and labels."""


class ReturnOfOrder(Struct, frozen=True, kw_only=True):
    """A return as fulfilments of its order show it."""

    id: int
    order_id: int
    return_order_id: int | None
    method: ReturnMethod
    state: OrderReturnState
    created_at: datetime
    updated_at: datetime


async def list_returns_of(call: Call, order_ids: Collection[int]) -> list[ReturnOfOrder]:
    """Return the returns of orders, oldest first. One statement."""
    return [
        ReturnOfOrder(
            id=row.id,
            order_id=row.order_id,
            return_order_id=row.return_order_id,
            method=ReturnMethod(row.method),
            state=OrderReturnState(row.state),
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
        for row in await store.list_returns_of_orders(call.work, order_ids)
    ]


async def load_returnable_items(call: Call, order_id: int) -> tuple[list[ReturnableItem], Mapping[int, int]]:
    """Return the items of an order, and the units in returns that were not cancelled."""
    goods = await load_order_goods(call, order_id)
    items = [
        ReturnableItem(
            number=number,
            sku=line.sku if line.product_id is not None else None,
            description=line.description or line.sku,
            quantity=line.quantity,
        )
        for number, line in enumerate(goods.lines, 1)
    ]
    if not items:
        pieces = await list_order_pieces(call, [order_id])
        items = [ReturnableItem(number=1, sku=None, description=None, quantity=len(pieces))]
    rows = await store.list_returns_of_orders(call.work, [order_id])
    return items, count_returned(row.items for row in rows if row.state != OrderReturnState.CANCELLED)


async def get_visible_return(call: Call, order_return_id: int, *, lock: bool = False) -> OrderReturnRow:
    """Return a return that the caller may see. Raises `NOT_FOUND`."""
    found = await (OrderReturnRow.lock if lock else OrderReturnRow.get)(call.work, order_return_id)
    if found is None or (is_customer(call) and found.customer_id != call.actor):
        raise record_not_found(order_return_id=order_return_id)
    return found


async def list_order_charges(call: Call, row: OrderReturnRow) -> Sequence[SubjectCharge]:
    """Return the charges of a returned order, its return order and their labels."""
    orders = [row.order_id, *([row.return_order_id] if row.return_order_id is not None else [])]
    shipments = call.app.find_adapter(OrderShipments)
    labels = [each.id for each in await shipments.list_of_orders(call, orders)] if shipments else []
    return await list_charges_of(call, (ORDER_SUBJECT, orders), (LABEL_SUBJECT, labels))


async def sum_proposed(call: Call, charge_ids: Collection[int]) -> dict[int, int]:
    """Return the amounts of undecided refunds by charge, in minor units."""
    proposed: dict[int, int] = {}
    for each in await store.list_pending_refunds(call.work, charge_ids, RefundState.PROPOSED):
        proposed[each.charge_id] = proposed.get(each.charge_id, 0) + each.amount_minor
    return proposed
