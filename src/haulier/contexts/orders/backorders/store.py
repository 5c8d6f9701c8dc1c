"""Table of backorders and its statements."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Annotated

from sqlalchemy import ColumnElement, Index, String, bindparam, or_, select, text, update

from haulier.contexts.orders.backorders.rules import BackorderState
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX

_WAITS = text("state = 'waiting'")


class BackorderRow(
    Record,
    table="order_backorder",
    items=[
        Index("ix_order_backorder_order", "client_id", "order_id", "id"),
        Index("ix_order_backorder_part", "client_id", "backorder_order_id", "id"),
        Index("ix_order_backorder_waiting", "client_id", "id", sqlite_where=_WAITS, postgresql_where=_WAITS),
    ],
):
    """Items of an order that wait for stock, as an order of their own.

    `order_id` is the original order, also for parts of parts.
    """

    order_id: Reference
    backorder_order_id: Reference
    customer_id: Reference | None
    state: Annotated[str, String(20)]
    auto_release: bool
    owner_id: Reference | None
    expected_on: date | None
    note: Annotated[str, String(REASON_MAX)] | None
    created_at: datetime
    updated_at: datetime


backorders = BackorderRow.table
personal_data(
    backorders,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER},
    erased={"note": None},
    plain=("state",),
)


class WaitingRow(Row):
    """A backorder that waits for stock."""

    id: int
    backorder_order_id: int


_b = backorders.c
_state = bindparam("state", type_=_b.state.type)
_of_orders = select(backorders).where(in_param(_b.order_id, "orders")).order_by(_b.id)
_by_parts = select(backorders).where(in_param(_b.backorder_order_id, "orders")).order_by(_b.id)
_waiting = (
    select(_b.id, _b.backorder_order_id)
    .where(_b.state == "waiting", _b.auto_release.is_(True), _b.id > bindparam("after", type_=_b.id.type))
    .order_by(_b.id)
    .limit(bindparam("most"))
)
_end = (
    update(backorders)
    .where(in_param(_b.backorder_order_id, "orders"), _b.state == "waiting")
    .values(state=_state, updated_at=bindparam("at", type_=_b.updated_at.type))
)


async def list_backorders_of_orders(work: UnitOfWork, order_ids: Collection[int]) -> Sequence[BackorderRow]:
    """Return the backorders of original orders, oldest first."""
    return await work.all(_of_orders, BackorderRow, orders=sorted(order_ids)) if order_ids else []


async def list_backorders_by_part(work: UnitOfWork, order_ids: Collection[int]) -> Sequence[BackorderRow]:
    """Return the backorders whose items are in these orders, oldest first."""
    return await work.all(_by_parts, BackorderRow, orders=sorted(order_ids)) if order_ids else []


async def list_waiting_rows(work: UnitOfWork, *, after: int, most: int) -> Sequence[WaitingRow]:
    """Return backorders that are released automatically, oldest first, after a record."""
    return await work.all(_waiting, WaitingRow, after=after, most=most)


async def end_waiting(work: UnitOfWork, order_ids: Collection[int], state: BackorderState, now: datetime) -> None:
    """Set the state of the waiting backorders of some orders."""
    if order_ids:
        await work.run(_end, orders=sorted(order_ids), state=state.value, at=now)


async def list_backorder_rows(
    work: UnitOfWork,
    *,
    order_id: int | None,
    owner_id: int | None,
    state: BackorderState | None,
    overdue_before: date | None,
    limit: int,
    offset: int,
) -> tuple[Sequence[BackorderRow], int]:
    """Return a page of matching backorders, oldest first, and their count."""
    where: list[ColumnElement[bool]] = []
    if order_id is not None:
        where.append(or_(_b.order_id == order_id, _b.backorder_order_id == order_id))
    if owner_id is not None:
        where.append(_b.owner_id == owner_id)
    if state is not None:
        where.append(_b.state == state.value)
    if overdue_before is not None:
        where += [_b.state == BackorderState.WAITING.value, _b.expected_on < overdue_before]
    return await BackorderRow.list_page(work, *where, order_by=(_b.id,), limit=limit, offset=offset)
