"""Pieces of orders by the numbers on their labels: what a scanner asks."""

from collections.abc import Collection

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES
from haulier.contexts.orders.delivery_orders.store.piece_numbers import find_piece_rows
from haulier.kernel.call import Call


class NumberedPiece(Struct, frozen=True, kw_only=True):
    """A piece of an order. `package_id` is what its tracking events name: none where the order's own number is on the label."""

    order_id: int
    package_id: int | None
    order_ref: str | None
    tracking_number: str
    over: bool


async def find_pieces_by_number(call: Call, numbers: Collection[str]) -> dict[str, NumberedPiece]:
    """Pieces of the client's orders by the tracking number on their label, in one statement. Numbers are in capitals."""
    return {
        row.tracking_number: NumberedPiece(
            order_id=row.order_id,
            package_id=None if row.tracking_number == row.order_number else row.id,
            order_ref=row.order_ref,
            tracking_number=row.tracking_number,
            over=row.status in TERMINAL_STATUSES,
        )
        for row in await find_piece_rows(call.work, numbers)
    }
