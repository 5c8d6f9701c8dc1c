"""What becomes of each piece is written down: at the door, and when it is back at the depot."""

from collections.abc import Sequence
from datetime import datetime

from haulier.contexts.orders.delivery_orders.actions.transitions import SELF_DELIVERY_SOURCE
from haulier.contexts.orders.delivery_orders.rules.exceptions import DELIVERY_UNDONE, PROBLEM_OF_OUTCOME
from haulier.contexts.orders.delivery_orders.rules.pieces import GOING_BACK, PieceLeft, PieceOutcome
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.delivery_orders.store.piece_exceptions import close_piece_exceptions, open_piece_exceptions
from haulier.contexts.orders.delivery_orders.store.pieces import set_piece_outcome
from haulier.contexts.tracking.public import NewEvent, record_events
from haulier.kernel.call import Call

RETURNED_CODE = "returned"
"""What the journey of a piece that nobody took ends with."""


async def record_piece_outcomes(call: Call, order_id: int, left: Sequence[PieceLeft]) -> None:
    """Write the outcome of each piece of a delivered order; missing and damaged pieces in `left` become exceptions."""
    packages = await store.list_order_package_rows(call.work, [order_id])
    outcomes = {piece.id: piece.outcome for piece in left}
    for outcome in PieceOutcome:
        ids = [row.id for row in packages if outcomes.get(row.id, PieceOutcome.DELIVERED) is outcome]
        if ids:
            await set_piece_outcome(call.work, ids, outcome.value)
    await open_piece_exceptions(
        call.work,
        [
            {
                "order_id": order_id,
                "package_id": piece.id,
                "piece": piece.tracking_number,
                "kind": PROBLEM_OF_OUTCOME[piece.outcome].value,
                "resolution": None,
                "note": None,
                "created_at": call.now,
                "resolved_at": None,
                "resolved_by": None,
            }
            for piece in left
            if piece.outcome in PROBLEM_OF_OUTCOME
        ],
    )


async def reset_piece_outcomes(call: Call, order_id: int) -> None:
    """Reset the outcomes of an order's pieces and close their exceptions: the delivery was undone."""
    pieces = await store.list_order_package_rows(call.work, [order_id])
    await set_piece_outcome(call.work, [piece.id for piece in pieces], None)
    await close_piece_exceptions(call.work, order_id, DELIVERY_UNDONE, call.now, call.actor)


async def return_left_pieces(call: Call, order_ids: Sequence[int], at: datetime) -> None:
    """Say that the pieces of these orders that nobody took are back at the depot. Saying it again changes nothing."""
    rows = {row.id: row for row in await store.list_order_rows(call.work, order_ids)}
    packages = await store.list_order_package_rows(call.work, order_ids) if order_ids else []
    back = [row for row in packages if row.outcome in GOING_BACK]
    if not back:
        return
    await set_piece_outcome(call.work, [row.id for row in back], PieceOutcome.RETURNED.value)
    events = [
        NewEvent(
            tracking_number=row.tracking_number,
            status_code=RETURNED_CODE,
            occurred_at=at,
            order_id=row.order_id,
            package_id=row.id,
            order_ref=rows[row.order_id].order_ref,
            source=SELF_DELIVERY_SOURCE,
        )
        for row in back
        if row.tracking_number != rows[row.order_id].tracking_number
    ]
    await record_events(call, events)
