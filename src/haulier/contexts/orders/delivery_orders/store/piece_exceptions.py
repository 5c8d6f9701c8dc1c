"""Exceptions about missing and damaged pieces: statements."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update

from haulier.contexts.orders.delivery_orders.store.tables import piece_exceptions
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT


class PieceExceptionRow(Row):
    """A missing or damaged piece of a delivered order."""

    id: int
    order_id: int
    package_id: int
    piece: str
    kind: str
    owner_id: int | None
    resolution: str | None
    note: str | None
    created_at: datetime
    resolved_at: datetime | None
    resolved_by: int | None


table = piece_exceptions
_open = table.c.resolved_at.is_(None)
_by_id = select(table).where(table.c.id == bindparam("exception"))
_by_id_locked = _by_id.with_for_update()
_open_of_orders = select(table).where(in_param(table.c.order_id, "ids"), _open).order_by(table.c.id)
_close = (
    update(table)
    .where(
        table.c.order_id == bindparam("order"),
        _open,
    )
    .values(
        resolution=bindparam("how", type_=table.c.resolution.type),
        resolved_at=bindparam("at", type_=table.c.resolved_at.type),
        resolved_by=bindparam("actor", type_=table.c.resolved_by.type),
    )
)


async def open_piece_exceptions(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Open an exception for each package and kind, or reopen the existing one.

    A reopened exception keeps its owner.
    """
    await work.upsert_many(table, ("package_id", "kind"), rows)


async def close_piece_exceptions(work: UnitOfWork, order_id: int, how: str, at: datetime, by: int | None) -> None:
    """Close the open exceptions of an order."""
    await work.run(_close, order=order_id, how=how, at=at, actor=by)


async def get_piece_exception(work: UnitOfWork, id: int, *, lock: bool = False) -> PieceExceptionRow | None:
    """Return an exception of this client, or None."""
    return await work.first(_by_id_locked if lock else _by_id, PieceExceptionRow, exception=id)


async def list_open_piece_exceptions(work: UnitOfWork, order_ids: Collection[int]) -> list[PieceExceptionRow]:
    """Return the open exceptions of some orders."""
    return await work.all(_open_of_orders, PieceExceptionRow, ids=sorted(order_ids)) if order_ids else []


async def update_piece_exception(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Set columns of an exception."""
    await work.run(update(table).where(table.c.id == bindparam("exception")).values(**values), exception=id)


async def list_piece_exception_rows(
    work: UnitOfWork,
    wanted: Mapping[str, Any],
    *,
    resolved: bool | None,
    since: datetime | None,
    before: datetime | None,
    limit: int,
    offset: int,
) -> tuple[int, list[PieceExceptionRow]]:
    """Return the total and a page of matching exceptions, oldest first."""
    where: list[ColumnElement[bool]] = [table.c[name] == value for name, value in wanted.items()]
    if resolved is not None:
        where.append(~_open if resolved else _open)
    if since is not None:
        where.append(table.c.created_at >= since)
    if before is not None:
        where.append(table.c.created_at < before)
    some = select(table.c.id).where(*where).limit(MAX_COUNT + 1).subquery()
    total = await work.value(select(func.count()).select_from(some))
    page = select(table).where(*where).order_by(table.c.id).limit(limit).offset(offset)
    return total, await work.all(page, PieceExceptionRow) if total > min(offset, MAX_COUNT) else []
