"""Rows of backorders as answers."""

from collections.abc import Sequence

from haulier.contexts.orders.backorders.contract import Backorder, BackorderAnswer, BackorderLine
from haulier.contexts.orders.backorders.rules import BackorderState
from haulier.contexts.orders.backorders.store import BackorderRow
from haulier.contexts.orders.delivery_orders.queries.order_goods import GoodsLine, list_goods_lines
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def backorder_records(call: Call, rows: Sequence[BackorderRow]) -> list[Backorder]:
    """Return backorders as callers see them. One more statement in total."""
    lines = await list_goods_lines(call, [row.backorder_order_id for row in rows])
    return [_record(call, row, lines.get(row.backorder_order_id, ())) for row in rows]


async def backorder_answer(call: Call, row: BackorderRow) -> BackorderAnswer:
    """Return one backorder."""
    (shown,) = await backorder_records(call, [row])
    return BackorderAnswer(backorder=shown)


def _record(call: Call, row: BackorderRow, lines: Sequence[GoodsLine]) -> Backorder:
    late = row.expected_on is not None and row.expected_on < call.today
    return record(
        Backorder,
        row,
        state=BackorderState(row.state),
        overdue=late and row.state == BackorderState.WAITING,
        items=[
            BackorderLine(sku=line.sku, description=line.description or line.sku, quantity=line.quantity)
            for line in lines
        ],
        created_at=call.local_time(row.created_at),
        updated_at=call.local_time(row.updated_at),
    )
