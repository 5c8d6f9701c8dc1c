"""Searches by id, and the orders that advice on cartons learns from."""

from collections import defaultdict
from datetime import date

import msgspec

from haulier.contexts.orders.public import list_order_ids_of_period, list_order_pieces
from haulier.contexts.warehouse.plan_searches import store
from haulier.contexts.warehouse.plan_searches.rules import MeasuredPiece
from haulier.contexts.warehouse.plan_searches.store import SearchRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found

ORDERS_MAX = 5000


async def get_search_row(call: Call, plan_search_id: int, *, lock: bool = False) -> SearchRow:
    """Return a search of this client. Raises `NOT_FOUND`."""
    row = await store.get_search(call.work, plan_search_id, lock=lock)
    if row is None:
        raise record_not_found(plan_search_id=plan_search_id)
    return row


class OrderHistory(msgspec.Struct, frozen=True):
    """Orders of a period."""

    orders: list[list[MeasuredPiece]]
    """Items of each order with all sizes known."""
    without_size: int
    is_cut: bool
    """True if there were more orders than are read."""


async def load_order_history(call: Call, first: date, last: date) -> OrderHistory:
    """Return the items of orders created on these days, newest first, up to a limit.

    Uses two statements.
    """
    begins, ends = call.span_of_days(first, last)
    ids = await list_order_ids_of_period(call, begins, ends, most=ORDERS_MAX + 1)
    pieces: defaultdict[int, list[MeasuredPiece | None]] = defaultdict(list)
    for piece in await list_order_pieces(call, ids[:ORDERS_MAX]):
        measured = piece.length_mm and piece.width_mm and piece.height_mm
        long, wide, high = piece.length_mm or 0, piece.width_mm or 0, piece.height_mm or 0
        pieces[piece.order_id].append(((long, wide, high), piece.weight_g) if measured else None)
    whole = [[each for each in of_order if each] for of_order in pieces.values() if None not in of_order]
    return OrderHistory(whole, len(pieces) - len(whole), len(ids) > ORDERS_MAX)
