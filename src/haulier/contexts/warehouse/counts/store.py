"""Tables and statements of counts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Index,
    Integer,
    String,
    UniqueConstraint,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    update,
)

from haulier.contexts.warehouse.counts.contract import StockCountState
from haulier.contexts.warehouse.stock.contract import LOT_MAX, Condition
from haulier.contexts.warehouse.stock.rules import LevelKey
from haulier.contexts.warehouse.stock.store.tables import levels, movements
from haulier.contexts.warehouse.warehouses.store import locations
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX


class StockCountRow(
    Record, table="stock_count", items=[Index("ix_stock_count_warehouse", "client_id", "warehouse_id", "id")]
):
    """A count."""

    warehouse_id: Reference
    state: Annotated[StockCountState, String(10)]
    blind: bool
    note: Annotated[str, String(REASON_MAX)] | None
    created_at: datetime
    created_by: Reference | None
    decided_at: datetime | None
    decided_by: Reference | None


counts = StockCountRow.table
plain_columns(counts, "state", "note")


class CountPlaceRow(
    Record,
    table="stock_count_location",
    items=[
        UniqueConstraint("client_id", "count_id", "location_id"),
        UniqueConstraint("client_id", "underway_location_id"),
        Index("ix_stock_count_location_location", "client_id", "location_id", "count_id"),
    ],
):
    """A location in a count.

    `underway_location_id` is the location until the count is decided, so that a location is neither counted nor posted
    twice.
    """

    count_id: Reference
    location_id: Reference
    underway_location_id: Reference | None


count_locations = CountPlaceRow.table


class StockCountLineRow(
    Record,
    table="stock_count_line",
    items=[
        UniqueConstraint("client_id", "count_id", "location_id", "product_id", "lot", "serial", "condition"),
        Index("ix_stock_count_line_count", "client_id", "count_id", "id"),
    ],
):
    """A line of a count.

    `scan_id` is set if a scanner counted the line: the books are then those of `counted_at`, by the device's clock.
    """

    count_id: Reference
    location_id: Reference
    product_id: Reference
    lot: Annotated[str, String(LOT_MAX)]
    serial: Annotated[str, String(LOT_MAX)]
    condition: Annotated[Condition, String(10)]
    expires_on: date | None
    expected: BigInt
    counted: int | None
    counted_at: datetime | None
    scan_id: Reference | None


count_lines = StockCountLineRow.table
plain_columns(count_lines, "lot", "serial", "condition")


class CountTotalRow(Row):
    """Progress of a count."""

    count_id: int
    lines: int
    counted: int
    differences: int


class CountPlacesRow(Row):
    """Number of locations of a count."""

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
_count_record = (
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
    """Insert a count. Return its id and the locations that are in another open count."""
    id = await work.insert(counts, decided_at=None, decided_by=None, **values)
    rows = [
        {"count_id": id, "location_id": location, "underway_location_id": location} for location in sorted(location_ids)
    ]
    written = await work.insert_new(count_locations, rows, UnderwayRow)
    return id, set(location_ids) - {row.location_id for row in written}


async def choose_locations(work: UnitOfWork, wanted: Mapping[str, Any], limit: int) -> list[int]:
    """Return locations matching column values, longest uncounted first.

    Locations with the same age come in walking order.
    """
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
    """Set the state of a count."""
    await work.run(update(counts).where(counts.c.id == bindparam("count")).values(state=state), count=count_id)


async def decide_count(work: UnitOfWork, count_id: int, state: str, now: datetime, by: int | None) -> None:
    """Record the decision on a count; its locations can be counted again."""
    decided = {"state": state, "decided_at": now, "decided_by": by}
    await work.run(update(counts).where(counts.c.id == bindparam("count")).values(**decided), count=count_id)
    await work.run(_end, count=count_id)


async def list_count_location_ids(work: UnitOfWork, count_id: int) -> set[int]:
    """Return the location ids of a count."""
    return {row.location_id for row in await work.all(_places, count=count_id)}


async def insert_lines(work: UnitOfWork, count_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert lines that the count does not have yet."""
    await insert_lines_of_counts(work, [{"count_id": count_id, **row} for row in rows])


async def insert_lines_of_counts(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert lines that their counts do not have yet."""
    await work.insert_new(count_lines, [{"counted": None, **row} for row in rows])


async def record_lines(
    work: UnitOfWork, count_id: int, found: Mapping[LevelKey, tuple[int, int]], now: datetime
) -> None:
    """Record the items found and the quantities in the books."""
    await work.run_many(
        _count_record,
        [
            {f"of_{name}": value for name, value in key._asdict().items()}
            | {"count": count_id, "books": books, "found": pieces, "at": now}
            for key, (books, pieces) in sorted(found.items())
        ],
    )


async def clear_counted(work: UnitOfWork, count_id: int, *, all: bool) -> None:
    """Reset counted lines: those that differ, or all of them."""
    await work.run(_forget if all else _forget_differences, count=count_id)


async def list_line_rows(
    work: UnitOfWork, count_id: int, *, after: int = 0, limit: int, differences: bool = False, uncounted: bool = False
) -> Sequence[StockCountLineRow]:
    """Return lines of a count after one."""
    page = select(count_lines).where(count_lines.c.count_id == count_id, count_lines.c.id > after)
    if differences:
        page = page.where(_differs)
    if uncounted:
        page = page.where(count_lines.c.counted.is_(None))
    return await work.all(page.order_by(count_lines.c.id).limit(limit), StockCountLineRow)


async def list_count_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[StockCountRow], int]:
    """Return a page of counts matching column values, newest first, and the total."""
    conditions: list[ColumnElement[bool]] = [counts.c[name] == value for name, value in wanted.items()]
    page = select(counts).where(*conditions).order_by(counts.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(counts).where(*conditions))
    return await work.all(page, StockCountRow), total


async def sum_counts(work: UnitOfWork, count_ids: Collection[int]) -> tuple[dict[int, CountTotalRow], dict[int, int]]:
    """Return the progress and the number of locations of each count."""
    if not count_ids:
        return {}, {}
    ids = list(count_ids)
    lines = {row.count_id: row for row in await work.all(_totals, CountTotalRow, counts=ids)}
    places = {row.count_id: row.locations for row in await work.all(_place_totals, CountPlacesRow, counts=ids)}
    return lines, places


class BooksRow(Row):
    """Quantity in the books of a line at the time of counting."""

    id: int
    expected: int


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
_scanned_record = (
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
"""Current level minus the movements after the time of counting."""
_books_of_scans = _books.where(in_param(count_lines.c.scan_id, "scans"))
_set_expected = (
    update(count_lines)
    .where(count_lines.c.id == bindparam("line"))
    .values(expected=bindparam("books", type_=BigInteger))
)


async def find_counts_underway(work: UnitOfWork, locations: Collection[int]) -> dict[int, int]:
    """Return the counts that locations are in now, by location."""
    rows = await work.all(_underway, CountPlaceRow, locations=list(locations))
    return {row.location_id: row.count_id for row in rows}


async def reopen_counts(work: UnitOfWork, count_ids: Collection[int]) -> None:
    """Lock counts and reopen those that wait for a decision."""
    await work.all(_lock, counts=list(count_ids))
    await work.run(_reopen, counts=list(count_ids))


async def record_scanned_lines(work: UnitOfWork, found: Sequence[Mapping[str, Any]]) -> None:
    """Record scanned lines, unless a later count of the line exists."""
    await work.run_many(
        _scanned_record,
        [
            {f"of_{name}": value for name, value in each["key"]._asdict().items()}
            | {name: each[name] for name in ("count", "found", "at", "scan")}
            for each in found
        ],
    )


async def refresh_expected(
    work: UnitOfWork, count_ids: Collection[int], scan_ids: Collection[int] | None = None
) -> None:
    """Update the quantities in the books for lines that scanners counted.

    Late scans change them. With `scan_ids`, only the lines counted by these scans are updated.
    """
    counts = list(count_ids)
    if scan_ids is None:
        rows = await work.all(_books, BooksRow, counts=counts)
    else:
        rows = await work.all(_books_of_scans, BooksRow, counts=counts, scans=list(scan_ids))
    await work.run_many(_set_expected, [{"line": row.id, "books": int(row.expected)} for row in rows])
