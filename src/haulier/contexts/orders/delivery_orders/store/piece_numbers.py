"""Pieces of orders by the numbers on their labels."""

from collections.abc import Collection

from sqlalchemy import select

from haulier.contexts.orders.delivery_orders.store.orders import orders, packages
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_by_numbers = (
    select(
        packages.c.id,
        packages.c.order_id,
        packages.c.tracking_number,
        orders.c.tracking_number.label("order_number"),
        orders.c.order_ref,
        orders.c.status,
    )
    .select_from(packages.join(orders, (orders.c.id == packages.c.order_id)))
    .where(in_param(packages.c.tracking_number, "numbers"))
)


class NumberedPieceRow(Row):
    """A piece of an order, found by its number."""

    id: int
    order_id: int
    tracking_number: str
    order_number: str
    order_ref: str | None
    status: int


async def find_piece_rows(work: UnitOfWork, numbers: Collection[str]) -> list[NumberedPieceRow]:
    """The pieces with these tracking numbers."""
    return await work.all(_by_numbers, NumberedPieceRow, numbers=sorted(numbers)) if numbers else []
