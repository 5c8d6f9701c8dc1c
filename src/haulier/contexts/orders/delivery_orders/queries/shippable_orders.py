"""Reads of delivery orders for carriers: orders that wait for a label."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.store.shippable import OrderCondition, list_shippable_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


class WaitingOrder(Struct, frozen=True, kw_only=True):
    """An order that a parcel carrier can deliver."""

    id: int
    order_ref: str | None
    tracking_number: str
    customer_id: int | None
    consignee: Mapping[str, Any] | None
    package_count: int
    weight_g: int
    scheduled_date: date | None
    window_end: datetime | None


async def list_orders_for_carriers(
    call: Call,
    conditions: Sequence[OrderCondition],
    *,
    search: str | None = None,
    customer_id: int | None = None,
    due_by: date | None = None,
    country: str | None = None,
    offset: int,
    limit: int,
    most: int,
) -> tuple[list[WaitingOrder], int]:
    """Return a page of orders that carriers can deliver, and their total.

    The total is at most `most`. The orders are dispatchable, and not with a contractor or partner. The earliest
    delivery day first. Two statements.
    """
    rows, total = await list_shippable_rows(
        call.work,
        {"search": search, "customer_id": customer_id, "scheduled_to": due_by},
        conditions,
        country=country,
        offset=offset,
        limit=limit,
        most=most,
    )
    return [record(WaitingOrder, row) for row in rows], total
