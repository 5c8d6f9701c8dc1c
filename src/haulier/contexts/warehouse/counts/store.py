"""Statements on counts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, Integer, bindparam, case, func, select, update

from haulier.contexts.warehouse.counts.store.tables import (
    StockCountLineRow,
    StockCountRow,
    count_lines,
    count_locations,
    counts,
)
from haulier.contexts.warehouse.stock.rules.movements import LevelKey
from haulier.contexts.warehouse.warehouses.store.tables import locations
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork


class CountTotalRow(Row):
    """How much of a count is done."""

    count_id: int
    lines: int
    counted: int
    differences: int


class CountPlacesRow(Row):
    """How many locations a count has."""

    count_id: int
    locations: int


class UnderwayRow(Row):
    """A location that is counted."""

    location_id: int


def _is(column: Column[Any]) -> ColumnElement[bool]:
    return column == bindparam(f"of_{column.name}", type_=column.type)


_last_counts = (
    select(count_locations.c.location_id, func.max(count_locations.c.count_id).label("last"))
    .group_by(count_locations.c.location_id)
    .subquery()
)
_places = select(count_locations.c.location_id).where(count_locations.c.count_id == bindparam("count"))
_end = update(count_locations).where(count_locations.c.count_id == bindparam("count")).values(underway_location_id=None)
_record = (
    update(count_lines)
    .where(count_lines.c.count_id == bindparam("count"), *(_is(count_lines.c[name]) for name in LevelKey._fields))
    .values(
        expected=bindparam("books", type_=BigInteger),
        counted=bindparam("found", type_=Integer),
        counted_at=bindparam("at", type_=UTCDateTime),
        scan_id=None,
    )
)

_differs = count_lines.c.counted != count_lines.c.expected
_forget = update(count_lines).where(count_lines.c.count_id == bindparam("count")).values(counted=None)
_forget_differences = _forget.where(_differs)
_totals = (
    select(
        count_lines.c.count_id,
        func.count().label("lines"),
        func.count(count_lines.c.counted).label("counted"),
        func.sum(case((_differs, 1), else_=0)).label("differences"),
    )
    .where(in_param(count_lines.c.count_id, "counts"))
    .group_by(count_lines.c.count_id)
)
_place_totals = (
    select(count_locations.c.count_id, func.count().label("locations"))
    .where(in_param(count_locations.c.count_id, "counts"))
    .group_by(count_locations.c.count_id)
)


async def insert_count(work: UnitOfWork, location_ids: Collection[int], **values: Any) -> tuple[int, set[int]]:
    """Write a count of locations. Returns its id, and the locations that another count has underway."""
    id = await work.insert(counts, decided_at=None, decided_by=None, **values)
    rows = [
        {"count_id": id, "location_id": location, "underway_location_id": location} for location in sorted(location_ids)
    ]
    written = await work.insert_new(count_locations, rows, UnderwayRow)
    return id, set(location_ids) - {row.location_id for row in written}


async def choose_locations(work: UnitOfWork, wanted: Mapping[str, Any], limit: int) -> list[int]:
    """Locations whose columns are one of these values: the longest not counted first, then in walking order."""
    last = _last_counts.c.last
    statement = (
        select(locations.c.id)
        .select_from(locations.outerjoin(_last_counts, _last_counts.c.location_id == locations.c.id))
        .where(*(in_param(locations.c[name], name) for name in wanted))
        .order_by(last.is_not(None), last, locations.c.walk_order, locations.c.code)
        .limit(limit)
    )
    return [row.id for row in await work.all(statement, **wanted)]


async def update_count_state(work: UnitOfWork, count_id: int, state: str) -> None:
    """Say how far a count is."""
    await work.run(update(counts).where(counts.c.id == bindparam("count")).values(state=state), count=count_id)


async def decide_count(work: UnitOfWork, count_id: int, state: str, now: datetime, by: int | None) -> None:
    """Write what somebody decided: its locations can be counted again."""
    decided = {"state": state, "decided_at": now, "decided_by": by}
    await work.run(update(counts).where(counts.c.id == bindparam("count")).values(**decided), count=count_id)
    await work.run(_end, count=count_id)


async def list_count_location_ids(work: UnitOfWork, count_id: int) -> set[int]:
    """What locations a count has."""
    return {row.location_id for row in await work.all(_places, count=count_id)}


async def insert_lines(work: UnitOfWork, count_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write lines that the count does not have yet."""
    await insert_lines_of_counts(work, [{"count_id": count_id, **row} for row in rows])


async def insert_lines_of_counts(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write lines that their counts do not have yet."""
    await work.insert_new(count_lines, [{"counted": None, **row} for row in rows])


async def record_lines(
    work: UnitOfWork, count_id: int, found: Mapping[LevelKey, tuple[int, int]], now: datetime
) -> None:
    """Write what was found, and what the books said then."""
    await work.run_many(
        _record,
        [
            {f"of_{name}": value for name, value in key._asdict().items()}
            | {"count": count_id, "books": books, "found": pieces, "at": now}
            for key, (books, pieces) in sorted(found.items())
        ],
    )


async def forget_counted(work: UnitOfWork, count_id: int, *, all: bool) -> None:
    """Have lines counted again: those that differ, or all of them."""
    await work.run(_forget if all else _forget_differences, count=count_id)


async def list_line_rows(
    work: UnitOfWork, count_id: int, *, after: int = 0, limit: int, differences: bool = False, uncounted: bool = False
) -> Sequence[StockCountLineRow]:
    """Lines of a count after one."""
    page = select(count_lines).where(count_lines.c.count_id == count_id, count_lines.c.id > after)
    if differences:
        page = page.where(_differs)
    if uncounted:
        page = page.where(count_lines.c.counted.is_(None))
    return await work.all(page.order_by(count_lines.c.id).limit(limit), StockCountLineRow)


async def list_count_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[StockCountRow], int]:
    """A page of counts whose columns have these values, the newest first, and how many there are."""
    conditions: list[ColumnElement[bool]] = [counts.c[name] == value for name, value in wanted.items()]
    page = select(counts).where(*conditions).order_by(counts.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(counts).where(*conditions))
    return await work.all(page, StockCountRow), total


async def sum_counts(work: UnitOfWork, count_ids: Collection[int]) -> tuple[dict[int, CountTotalRow], dict[int, int]]:
    """How much of counts is done, and how many locations each has."""
    if not count_ids:
        return {}, {}
    ids = list(count_ids)
    lines = {row.count_id: row for row in await work.all(_totals, CountTotalRow, counts=ids)}
    places = {row.count_id: row.locations for row in await work.all(_place_totals, CountPlacesRow, counts=ids)}
    return lines, places
