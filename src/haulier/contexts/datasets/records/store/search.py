"""Tables and statements of records: search."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from math import cos, radians, sin
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Float,
    Index,
    Integer,
    Select,
    String,
    Text,
    bindparam,
    func,
    literal,
    or_,
    select,
    tuple_,
    update,
)

from haulier.contexts.datasets.records.rules import CellRange, circle_cells
from haulier.contexts.datasets.records.store.records import SHOWN, RecordRow, records, words
from haulier.kernel.data.full_text import ids_with_words, row_has_words
from haulier.kernel.data.personal_data import RecordKind, plain_columns, retained
from haulier.kernel.data.statements import Row, in_correlated, in_param
from haulier.kernel.data.tables import UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.geography import EARTH_RADIUS_M
from haulier.kernel.values.pagination import MAX_COUNT
from haulier.kernel.values.sort_keys import LAST, MISSING

FOUND = ("exact", "approximate", "not_found")
geocodings = tenant_table(
    "dataset_geocoding",
    Column("dataset_id", BigInteger, nullable=False),
    Column("again", Boolean, nullable=False),
    Column("place", String(12), nullable=False),
    Column("after_id", BigInteger, nullable=False),
    Column("total", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    *(Column(name, Integer, nullable=False) for name in FOUND),
    Column("created_by", BigInteger),
    Column("created_at", UTCDateTime, nullable=False),
    Column("finished_at", UTCDateTime),
    Column("cancelled_at", UTCDateTime),
    Index("ix_dataset_geocoding_dataset", "dataset_id", "id"),
)
plain_columns(geocodings, "place")
retained(RecordKind.DATASET_IMPORTS, geocodings.c.finished_at, default_days=90, minimum_days=7)

_by_id = select(geocodings).where(geocodings.c.id == bindparam("geocoding"))
_by_id_locked = _by_id.with_for_update()
_waiting = (
    select(func.count())
    .select_from(records)
    .where(records.c.dataset_id == bindparam("dataset"), in_param(records.c.place, "places"))
)
_progress = (
    update(geocodings)
    .where(geocodings.c.id == bindparam("geocoding"))
    .values(
        place=bindparam("new_place"),
        after_id=bindparam("new_after"),
        done=geocodings.c.done + bindparam("more"),
        **{name: geocodings.c[name] + bindparam(f"more_{name}") for name in FOUND},
    )
)
_finish = (
    update(geocodings)
    .where(geocodings.c.id == bindparam("geocoding"))
    .values(finished_at=bindparam("now"), cancelled_at=bindparam("cancelled"))
)


class GeocodingRow(Row):
    """A geocoding: it continues with state `place` after the id `after_id`."""

    id: int
    dataset_id: int
    again: bool
    place: str
    after_id: int
    total: int
    done: int
    exact: int
    approximate: int
    not_found: int
    created_at: datetime
    finished_at: datetime | None
    cancelled_at: datetime | None


async def insert_geocoding(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write a geocoding that found nothing yet. Returns its id."""
    return await work.insert(geocodings, after_id=0, done=0, **dict.fromkeys(FOUND, 0), **values)


async def get_geocoding_row(work: UnitOfWork, id: int, *, lock: bool = False) -> GeocodingRow | None:
    """Return a geocoding, or None."""
    return await work.first(_by_id_locked if lock else _by_id, GeocodingRow, geocoding=id)


async def count_records_by_place(work: UnitOfWork, dataset_id: int, places: Collection[str]) -> int:
    """Return the number of records of a dataset with these place states."""
    return await work.value(_waiting, dataset=dataset_id, places=list(places))


async def add_progress(work: UnitOfWork, id: int, place: str, after_id: int, found: Mapping[str, int]) -> None:
    """Add processed records by result, and store the position."""
    more = {f"more_{name}": found.get(name, 0) for name in FOUND}
    await work.run(_progress, geocoding=id, new_place=place, new_after=after_id, more=sum(found.values()), **more)


async def finish_geocoding(work: UnitOfWork, id: int, now: datetime, *, cancelled: bool = False) -> None:
    """End a geocoding."""
    await work.run(_finish, geocoding=id, now=now, cancelled=now if cancelled else None)


class KeyFilter(Struct, frozen=True, kw_only=True):
    """Conditions for a sort key column. All of them must hold."""

    column: str
    equals: str | None = None
    any_of: tuple[str, ...] | None = None
    least: str | None = None
    most: str | None = None
    begins_with: str | None = None
    present: bool | None = None


class Circle(Struct, frozen=True):
    """A circle on the map, and the cells that cover it."""

    lat: float
    lng: float
    radius_m: float
    cells: tuple[CellRange, ...]


class RecordQuery(Struct, frozen=True, kw_only=True):
    """A search. `sort` is a sort key column, `distance`, or None for newest first."""

    dataset_id: int
    words: Sequence[Sequence[str]] | None = None
    common_words: Sequence[Sequence[str]] = ()
    """Words that many records have: matched in the records read, not by the index."""
    filters: tuple[KeyFilter, ...] = ()
    circle: Circle | None = None
    place: str | None = None
    sort: str | None = None
    descending: bool = False
    after: tuple[Any, int] | None = None
    """Sort key and id of the last record of the previous page."""


class FoundRow(RecordRow):
    """A found record with its sort value.

    For a circle, the squared half chord of the unit sphere.
    """

    sorted_by: Any


DISTANCE = "distance"


ALL_RECORDS = 100_000_000
"""More than a dataset can hold: words have no ranking, so all matches count."""
SMALLEST_M = 100.0
"""Smaller circles are not tried first."""
FEW = 5_000
"""Number of records that are sorted at once; if more match, they are read in order until there are enough."""


async def search_record_rows(work: UnitOfWork, query: RecordQuery, limit: int) -> list[FoundRow]:
    """Return matching records in order, with a constant number of statements."""
    query = await _with_common_words(work, query)
    few = query.words is not None
    if not few and _has_another_order(query):
        few = await count_record_rows(work, query, FEW) <= FEW
    rows: list[FoundRow] = []
    for each in _growing(query):
        rows = await work.all(search_statement(each, limit, few=few), FoundRow, **search_params(each))
        if len(rows) >= limit:
            break
    return rows


def _growing(query: RecordQuery) -> list[RecordQuery]:
    """Return the query in growing circles, if nearest first.

    A small one usually suffices.
    """
    circle = query.circle
    if circle is None or query.sort != DISTANCE or query.after or query.descending:
        return [query]
    radii = [circle.radius_m / part for part in (64, 16, 4) if circle.radius_m / part >= SMALLEST_M]
    return [
        *(replace(query, circle=Circle(circle.lat, circle.lng, radius, _cells(circle, radius))) for radius in radii),
        query,
    ]


def _cells(circle: Circle, radius_m: float) -> tuple[CellRange, ...]:
    return tuple(circle_cells(circle.lat, circle.lng, radius_m))


async def _with_common_words(work: UnitOfWork, query: RecordQuery) -> RecordQuery:
    """Return the query with words of more than `FEW` records separated.

    Prefixes are not considered: SQLite collects all matches of a prefix before the first one.
    """
    if not query.words:
        return query
    whole = {f"word_{index}": [[each.removesuffix("*") for each in word]] for index, word in enumerate(query.words)}
    counts = [
        select(func.count()).select_from(ids_with_words(words, name, FEW + 1).subquery()).scalar_subquery().label(name)
        for name in whole
    ]
    (found,) = await work.all(select(*counts), **whole)
    rare = [word for word, count in zip(query.words, found, strict=True) if count <= FEW]
    common = [word for word, count in zip(query.words, found, strict=True) if count > FEW]
    return replace(query, words=rare or None, common_words=common)


def _has_another_order(query: RecordQuery) -> bool:
    """Return True if filter and sort column differ.

    One index then cannot serve both.
    """
    sought = {each.column for each in query.filters} | ({"cell"} if query.circle else set())
    return query.sort != DISTANCE and not sought <= {query.sort}


def search_statement(query: RecordQuery, limit: int, *, few: bool = False) -> Select[Any]:
    """Return the statement of a search, with parameters from `search_params`.

    With `few`, all matches are sorted. The choice is explicit, because neither database knows how rare a value is, and
    reading a million records in order for three matches takes seconds.
    """
    order, back = _order(query), _goes_back(query)
    page = select(*SHOWN, order.label("sorted_by")).where(*_conditions(query))
    if query.sort and query.sort != DISTANCE and not few:
        page = page.where(order.is_not(None))  # the column's index omits nulls
    if query.after is not None:
        page = page.where(_past(query.after, order, back) if query.sort else _past_id(query.after[1], back))
    columns = [_unindexed(column) if few else column for column in _order_columns(query, order)]
    return page.order_by(*(column.desc() if back else column for column in columns)).limit(limit)


def _unindexed(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return a column in an order that no index has."""
    return func.coalesce(column, MISSING if isinstance(column.type, Text) else 0)


def _goes_back(query: RecordQuery) -> bool:
    """Return True if greater keys come first.

    Newest first by default, all else ascending, unless reversed.
    """
    return query.descending if query.sort else not query.descending


def _past(after: tuple[Any, int], order: ColumnElement[Any], back: bool) -> ColumnElement[bool]:
    here, there = tuple_(order, records.c.id), tuple_(literal(after[0], order.type), literal(after[1]))
    return here < there if back else here > there


def _past_id(last: int, back: bool) -> ColumnElement[bool]:
    return records.c.id < last if back else records.c.id > last


def _order(query: RecordQuery) -> ColumnElement[Any]:
    if query.sort == DISTANCE and query.circle:
        return _half_chord(query.circle)
    return records.c[query.sort] if query.sort else records.c.id


def _order_columns(query: RecordQuery, order: ColumnElement[Any]) -> list[ColumnElement[Any]]:
    return [order, records.c.id] if query.sort else [records.c.id]


async def count_record_rows(work: UnitOfWork, query: RecordQuery, most: int = MAX_COUNT) -> int:
    """Return the number of matches from any page, up to one more than `most`."""
    plain = not (query.filters or query.circle or query.place)
    some = (
        select(records.c.id).where(*_conditions(query, most + 1 if plain else ALL_RECORDS)).limit(most + 1).subquery()
    )
    return await work.value(select(func.count()).select_from(some), **search_params(query))


def _conditions(query: RecordQuery, most: int = ALL_RECORDS) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [records.c.dataset_id == query.dataset_id]
    if query.words is not None:
        # An array: PostgreSQL takes any word for a common one, and a join with the matches would read all records.
        found.append(in_correlated(records.c.id, ids_with_words(words, "words_sought", most)))
    if query.common_words:
        found.append(row_has_words(words, records.c.id, query.common_words))
    if query.place is not None:
        found.append(records.c.place == query.place)
    if query.circle is not None:
        found += _within(query.circle)
    return [*found, *(part for each in query.filters for part in _filter_conditions(each))]


def _filter_conditions(wanted: KeyFilter) -> list[ColumnElement[bool]]:
    column = records.c[wanted.column]
    # "is not null": the column's index omits nulls, and SQLite uses it only with this condition.
    found: list[ColumnElement[bool]] = [column.is_not(None)]
    if wanted.equals is not None:
        found.append(column == wanted.equals)
    if wanted.any_of is not None:
        found.append(column.in_(wanted.any_of))
    if wanted.least is not None:
        found.append(column >= wanted.least)
    if wanted.most is not None or wanted.least is not None:
        found.append(column <= wanted.most if wanted.most is not None else column < MISSING)
    if wanted.begins_with is not None:
        found += [column >= wanted.begins_with, column < wanted.begins_with + LAST]
    if wanted.present is not None:
        found.append(column < MISSING if wanted.present else column == MISSING)
    return found


def _within(circle: Circle) -> list[ColumnElement[bool]]:
    ranges = [records.c.cell.between(first, last) for first, last in circle.cells]
    limit = sin(circle.radius_m / EARTH_RADIUS_M / 2) ** 2
    return [records.c.cell.is_not(None), or_(*ranges), _half_chord(circle) <= literal(limit, Float())]


def _half_chord(circle: Circle) -> ColumnElement[Any]:
    """Return the haversine of the angle to a circle's centre; it grows with distance."""
    south = func.sin(func.radians(records.c.lat - circle.lat) / 2.0, type_=Float())
    west = func.sin(func.radians(records.c.lng - circle.lng) / 2.0, type_=Float())
    narrowing = func.cos(func.radians(records.c.lat), type_=Float()) * literal(cos(radians(circle.lat)), Float())
    return south * south + narrowing * west * west


def search_params(query: RecordQuery) -> Mapping[str, Any]:
    """Return the values of a search's parameters."""
    return {} if query.words is None else {"words_sought": query.words}
