"""Statements on what was counted with a scanner."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, Integer, and_, bindparam, case, func, or_, select, update

from haulier.contexts.warehouse.counts.contract import StockCountState
from haulier.contexts.warehouse.counts.store.tables import CountPlaceRow, count_lines, count_locations, counts
from haulier.contexts.warehouse.stock.rules.movements import LevelKey
from haulier.contexts.warehouse.stock.store.tables import levels, movements
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork


class BooksRow(Row):
    """What the books said of a line when it was counted."""

    id: int
    expected: int


def _is(column: Column[Any]) -> ColumnElement[bool]:
    return column == bindparam(f"of_{column.name}", type_=column.type)


_underway = (
    select(count_locations)
    .where(in_param(count_locations.c.underway_location_id, "locations"))
    .order_by(count_locations.c.count_id)
)
_lock = select(counts.c.id).where(in_param(counts.c.id, "counts")).order_by(counts.c.id).with_for_update()
_reopen = (
    update(counts)
    .where(in_param(counts.c.id, "counts"), counts.c.state == StockCountState.COUNTED)
    .values(state=StockCountState.OPEN)
)
_at = bindparam("at", type_=UTCDateTime)
_record = (
    update(count_lines)
    .where(count_lines.c.count_id == bindparam("count"), *(_is(count_lines.c[name]) for name in LevelKey._fields))
    .where(or_(count_lines.c.counted_at.is_(None), count_lines.c.counted_at < _at))
    .values(counted=bindparam("found", type_=Integer), counted_at=_at, scan_id=bindparam("scan", type_=Id))
)
_same_pieces = [name for name in LevelKey._fields if name != "location_id"]
_came = case((movements.c.to_location_id == count_lines.c.location_id, movements.c.quantity), else_=0)
_left = case((movements.c.from_location_id == count_lines.c.location_id, movements.c.quantity), else_=0)
_books = (
    select(
        count_lines.c.id,
        (func.coalesce(levels.c.on_hand, 0) - func.coalesce(func.sum(_came - _left), 0)).label("expected"),
    )
    .select_from(
        count_lines.outerjoin(
            levels,
            and_(
                levels.c.client_id == count_lines.c.client_id,
                *(levels.c[name] == count_lines.c[name] for name in LevelKey._fields),
            ),
        ).outerjoin(
            movements,
            and_(
                movements.c.client_id == count_lines.c.client_id,
                movements.c.occurred_at > count_lines.c.counted_at,
                *(movements.c[name] == count_lines.c[name] for name in _same_pieces),
            ),
        )
    )
    .where(in_param(count_lines.c.count_id, "counts"), count_lines.c.scan_id.is_not(None))
    .group_by(count_lines.c.id, levels.c.on_hand)
)
"""The level now, without what happened after the moment of counting."""
_books_of_scans = _books.where(in_param(count_lines.c.scan_id, "scans"))
_set_expected = (
    update(count_lines)
    .where(count_lines.c.id == bindparam("line"))
    .values(expected=bindparam("books", type_=BigInteger))
)


async def find_counts_underway(work: UnitOfWork, locations: Collection[int]) -> dict[int, int]:
    """The counts that locations are in now, by location."""
    rows = await work.all(_underway, CountPlaceRow, locations=list(locations))
    return {row.location_id: row.count_id for row in rows}


async def reopen_counts(work: UnitOfWork, count_ids: Collection[int]) -> None:
    """Lock counts until the call ends; those that wait for a decision are open again."""
    await work.all(_lock, counts=list(count_ids))
    await work.run(_reopen, counts=list(count_ids))


async def record_scanned_lines(work: UnitOfWork, found: Sequence[Mapping[str, Any]]) -> None:
    """Write what was found, unless the line was counted later than that."""
    await work.run_many(
        _record,
        [
            {f"of_{name}": value for name, value in each["key"]._asdict().items()}
            | {name: each[name] for name in ("count", "found", "at", "scan")}
            for each in found
        ],
    )


async def refresh_expected(
    work: UnitOfWork, count_ids: Collection[int], scan_ids: Collection[int] | None = None
) -> None:
    """Write what the books say of the moments at which scanners counted: scans that came late change that.

    With `scan_ids` only those lines are looked at that these scans counted.
    """
    counts = list(count_ids)
    if scan_ids is None:
        rows = await work.all(_books, BooksRow, counts=counts)
    else:
        rows = await work.all(_books_of_scans, BooksRow, counts=counts, scans=list(scan_ids))
    await work.run_many(_set_expected, [{"line": row.id, "books": int(row.expected)} for row in rows])
