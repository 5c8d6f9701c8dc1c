"""Orders that need somebody, as answers show them."""

from collections.abc import Iterator, Sequence

from haulier.contexts.orders.delivery_orders.contract.exceptions import OrderException, OrderProblem
from haulier.contexts.orders.delivery_orders.rules.exceptions import (
    DATED_BY_STEP,
    DATED_BY_WINDOW,
    PIECE_PROBLEMS,
    OrderProblemKind,
)
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.delivery_orders.store.exceptions import OrderExceptionRow
from haulier.contexts.orders.delivery_orders.store.piece_exceptions import (
    PieceExceptionRow,
    list_open_piece_exceptions,
)
from haulier.contexts.orders.ports import OrderPlacement, OrderRoutes
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def order_exceptions(call: Call, rows: Sequence[OrderExceptionRow]) -> list[OrderException]:
    """Orders with their problems; three statements for any number of orders."""
    ids = [row.id for row in rows]
    placements = await call.adapter(OrderRoutes).get_placements(call, ids)
    last_steps = await store.get_last_changes(call.work, ids)
    with_pieces = [row.id for row in rows if any(getattr(row, kind.value) for kind in PIECE_PROBLEMS)]
    pieces = await list_open_piece_exceptions(call.work, with_pieces)
    by_order: dict[int, list[PieceExceptionRow]] = {}
    for piece in pieces:
        by_order.setdefault(piece.order_id, []).append(piece)
    return [
        _order_exception(call, row, placements.get(row.id), last_steps.get(row.id), by_order.get(row.id, ()))
        for row in rows
    ]


def _order_exception(
    call: Call,
    row: OrderExceptionRow,
    placement: OrderPlacement | None,
    last_step: store.ChangeRow | None,
    pieces: Sequence[PieceExceptionRow],
) -> OrderException:
    return record(
        OrderException,
        row,
        route_id=placement and placement.route_id,
        driver_id=placement and placement.driver_id,
        driver_name=placement and placement.driver_name,
        stop_number=placement and placement.stop_number,
        planned_arrival_at=call.local_time(placement.planned_arrival_at) if placement else None,
        order_id=row.id,
        status=OrderStatus(row.status).name,
        name=row.stop_name,
        address=row.stop_address,
        window_start=call.local_time(row.window_start),
        window_end=call.local_time(row.window_end),
        problems=[*_problems(call, row, last_step), *_piece_problems(call, pieces)],
    )


def _problems(call: Call, row: OrderExceptionRow, last_step: store.ChangeRow | None) -> Iterator[OrderProblem]:
    for kind in OrderProblemKind:
        if kind in PIECE_PROBLEMS or not getattr(row, kind.value):
            continue
        step = last_step if kind in DATED_BY_STEP else None
        since = row.window_end if kind in DATED_BY_WINDOW else step and step.at
        yield OrderProblem(
            kind=kind,
            since=call.local_time(since),
            reason=step and step.reason,
            message=call.translate(f"order_problem_{kind.value}"),
        )


def _piece_problems(call: Call, pieces: Sequence[PieceExceptionRow]) -> Iterator[OrderProblem]:
    for piece in pieces:
        yield OrderProblem(
            kind=OrderProblemKind(piece.kind),
            since=call.local_time(piece.created_at),
            reason=piece.note,
            message=call.translate(f"order_problem_{piece.kind}"),
            exception_id=piece.id,
            piece=piece.piece,
            owner_id=piece.owner_id,
        )
