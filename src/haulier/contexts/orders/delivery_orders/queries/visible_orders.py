"""Orders as far as the caller may see them."""

from collections.abc import Collection
from typing import Any

from haulier.contexts.identity.public import require_customer_ids
from haulier.contexts.orders.delivery_orders.rules.lifecycle import was_picked_up
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.delivery_orders.store.details import OrderDetailRow, get_order_row_with_related
from haulier.contexts.orders.ports import OrderRoutes
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import record_not_found

_OWNER_COLUMN = {Account.CUSTOMER: "customer_id", Account.CONTRACTOR: "contractor_id", Account.DRIVER: "driver_id"}


def visibility_filter(call: Call) -> dict[str, Any]:
    """The filter for what the caller may see: the office sees every order, others see their own."""
    account = call.principal.account
    return {} if account in OFFICE else {_OWNER_COLUMN[account]: call.actor}


async def customer_filter(call: Call, customer_id: int | None, customer: str | None) -> dict[str, Any]:
    """The filter for the orders of customers, named by id or as people speak of them. Raises `NOT_FOUND` for nobody."""
    ids = await require_customer_ids(call, customer) if customer else None
    return {"customer_id": customer_id, "customer_ids": ids}


async def get_visible_order(call: Call, order_id: int, *, lock: bool = False) -> store.OrderRow:
    """The row of an order that the caller may see. Raises `NOT_FOUND`."""
    rows = await store.list_order_rows(call.work, [order_id], lock=lock)
    if not rows or not can_see_order(call, rows[0]):
        raise record_not_found(order_id=order_id)
    return rows[0]


async def require_visible_orders(call: Call, order_ids: Collection[int]) -> None:
    """Raises `NOT_FOUND` for the first of these orders that the caller may not see."""
    seen = {row.id for row in await store.list_order_rows(call.work, order_ids) if can_see_order(call, row)}
    for order_id in order_ids:
        if order_id not in seen:
            raise record_not_found(order_ids=order_id)


async def get_visible_order_detail(call: Call, order_id: int) -> OrderDetailRow:
    """The row of an order that the caller may see, with its `packages`, `steps` and `places`. Raises `NOT_FOUND`."""
    row = await get_order_row_with_related(call.work, order_id, call.adapter(OrderRoutes).places_column)
    if row is None or not can_see_order(call, row):
        raise record_not_found(order_id=order_id)
    return row


def can_see_order(call: Call, row: store.OrderRow) -> bool:
    """Whether the caller may see an order of the client."""
    return all(getattr(row, name) == value for name, value in visibility_filter(call).items())


async def find_picked_up_order_ids(call: Call, rows: Collection[store.OrderSummaryRow]) -> set[int]:
    """The ids of the orders whose goods were picked up at least once; one statement."""
    steps = await store.list_order_step_names(call.work, [row.id for row in rows])
    return {row.id for row in rows if was_picked_up(row.type, steps.get(row.id, ()))}
