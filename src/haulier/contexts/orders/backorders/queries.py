"""Backorders as other families read them: the parts of an order."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from haulier.contexts.orders.backorders import store
from haulier.contexts.orders.backorders.rules import BackorderState
from haulier.contexts.orders.backorders.store import BackorderRow
from haulier.kernel.call import Call

WAITING_AT_ONCE = 500


class OrderPart(Struct, frozen=True, kw_only=True):
    """A part of a divided order: its own order, and its place among the parts."""

    order_id: int
    number: int
    """Number of the part, from 1."""
    total: int
    backorder_id: int | None
    """Backorder that waits for stock."""
    expected_on: date | None


async def list_order_parts(call: Call, order_id: int) -> list[OrderPart]:
    """Return the parts of the order that an order belongs to, the original first.

    An undivided order has one part. Merged and cancelled parts are left out, unless it is the order itself. Two
    statements at most.
    """
    own = await store.list_backorders_by_part(call.work, [order_id])
    first = next((row.order_id for row in own), order_id)
    rows = await store.list_backorders_of_orders(call.work, [first])
    waiting = {row.backorder_order_id: row for row in rows if row.state == BackorderState.WAITING}
    ended = (BackorderState.MERGED, BackorderState.CANCELLED)
    gone = {row.backorder_order_id for row in rows if row.state in ended} - {first}
    ids = [
        first,
        *dict.fromkeys(row.backorder_order_id for row in rows if row.backorder_order_id not in {first, *gone}),
    ]
    if order_id in gone:
        ids = [order_id]
    return [_part(id, number, len(ids), waiting.get(id)) for number, id in enumerate(ids, 1)]


def _part(order_id: int, number: int, total: int, row: BackorderRow | None) -> OrderPart:
    return OrderPart(
        order_id=order_id,
        number=number,
        total=total,
        backorder_id=row and row.id,
        expected_on=row and row.expected_on,
    )


async def find_backorder_owner(call: Call, order_id: int) -> int | None:
    """Return the owner of an order's waiting backorder, or None."""
    rows = await store.list_backorders_by_part(call.work, [order_id])
    return next((row.owner_id for row in rows if row.state == BackorderState.WAITING), None)


class WaitingBackorder(Struct, frozen=True):
    """A backorder that is released once its stock is there."""

    id: int
    order_id: int


async def list_waiting_backorders(
    call: Call, *, after: int = 0, most: int = WAITING_AT_ONCE
) -> Sequence[WaitingBackorder]:
    """Return backorders that are released automatically, oldest first, after one."""
    rows = await store.list_waiting_rows(call.work, after=after, most=most)
    return [WaitingBackorder(row.id, row.backorder_order_id) for row in rows]


async def lock_waiting_backorder(call: Call, backorder_id: int) -> bool:
    """Lock a backorder. Return True if it still waits and is released automatically."""
    row = await BackorderRow.lock(call.work, backorder_id)
    return row is not None and row.state == BackorderState.WAITING and row.auto_release
