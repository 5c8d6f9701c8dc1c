"""The table of points of interest, and its index of places."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Float,
    Index,
    Integer,
    Select,
    String,
    UniqueConstraint,
    bindparam,
    delete,
    or_,
    select,
    tuple_,
    update,
)

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX
from haulier.kernel.values.geography import to_unit_vector
from haulier.kernel.values.map_cells import MAX_RANGES, NO_CELLS, CellRange, cell_of
from haulier.kernel.values.words import fold

STOP_CELL_BITS = 16
"""Cells of 600 m by 300 m: the circle around a stop touches one to four of them."""
NAME_KEY_MAX = 200
AXES = ("x", "y", "z")

# A prefix is an index range only with byte order, which SQLite uses.
_BY_CODE_POINT = String(NAME_KEY_MAX).with_variant(String(NAME_KEY_MAX, collation="C"), "postgresql")

points = tenant_table(
    "point_of_interest",
    Column("name", String(NAME_MAX), nullable=False),
    Column("name_key", _BY_CODE_POINT, nullable=False),
    Column("category", String(40), nullable=False),
    Column("lat", Float, nullable=False),
    Column("lng", Float, nullable=False),
    Column("x", Float, nullable=False),
    Column("y", Float, nullable=False),
    Column("z", Float, nullable=False),
    Column("cell", BigInteger, nullable=False),
    Column("stop_cell", BigInteger),
    Column("address", String(300)),
    Column("geometry", Json),
    Column("opening_hours", Json),
    Column("stop_radius_m", Integer, nullable=False),
    Column("access_notes", String(NOTE_MAX)),
    Column("source", String(100)),
    Column("reference", String(100)),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "reference"),
    Index("ix_point_of_interest_name", "client_id", "name_key", "id"),
    Index("ix_point_of_interest_category_name", "client_id", "category", "name_key", "id"),
    Index("ix_point_of_interest_source_name", "client_id", "source", "name_key", "id"),
    Index("ix_point_of_interest_cell", "client_id", "cell"),
    Index("ix_point_of_interest_category_cell", "client_id", "category", "cell"),
    Index("ix_point_of_interest_stop_cell", "client_id", "stop_cell"),
)
# Places of business; people are in the address book.
plain_columns(
    points,
    *("name", "name_key", "category", "lat", "lng", "x", "y", "z", "address", "geometry", "opening_hours"),
    *("access_notes", "source", "reference"),
)


class PointRow(Row):
    """A point of interest."""

    id: int
    name: str
    name_key: str
    category: str
    lat: float
    lng: float
    address: str | None
    geometry: dict[str, Any] | None
    opening_hours: dict[str, Any] | None
    stop_radius_m: int
    access_notes: str | None
    source: str | None
    reference: str | None
    created_at: datetime
    updated_at: datetime


class OpeningPlaceRow(Row):
    """A place with opening hours, as planning looks at it."""

    id: int
    lat: float
    lng: float
    stop_radius_m: int
    geometry: dict[str, Any] | None
    opening_hours: dict[str, Any]


def name_key(name: str) -> str:
    """A name as lists sort and search it: without accents and capitals."""
    return fold(name)[:NAME_KEY_MAX]


_END_OF_PREFIX = "\U0010ffff"
_by_id = select(points).where(points.c.id == bindparam("point"))
_by_ids = select(points).where(in_param(points.c.id, "ids"))
_by_references = select(points.c.id, points.c.reference).where(in_param(points.c.reference, "references"))
_categories = select(points.c.category).distinct().order_by(points.c.category)
_open_places = select(
    points.c.id, points.c.lat, points.c.lng, points.c.stop_radius_m, points.c.geometry, points.c.opening_hours
).where(in_param(points.c.stop_cell, "cells"))
_update = update(points).where(points.c.id == bindparam("point"))
_delete = delete(points).where(points.c.id == bindparam("point"))


def _near(*also: ColumnElement[bool]) -> Select[Any]:
    """Return places in up to `MAX_RANGES` ranges of cells, nearest first.

    Each range is one index scan. Distances are chords: without extensions, no database computes distances on earth. The
    chord has the same order, and works at the 180th meridian and the poles.
    """
    cells = [
        points.c.cell.between(bindparam(f"first_{at}", type_=BigInteger), bindparam(f"last_{at}", type_=BigInteger))
        for at in range(MAX_RANGES)
    ]
    x, y, z = (points.c[axis] - bindparam(f"from_{axis}", type_=Float) for axis in AXES)
    return (
        select(points)
        .where(or_(*cells), *also)
        .order_by(x * x + y * y + z * z, points.c.id)
        .limit(bindparam("page_size"))
    )


_nearby = _near()
_nearby_of_category = _near(points.c.category == bindparam("category"))


def _listing(*names: str) -> Select[Any]:
    filters = [points.c[name] == bindparam(name) for name in names]
    return (
        select(points)
        .where(*filters, points.c.name_key >= bindparam("prefix"), points.c.name_key < bindparam("prefix_end"))
        .where(
            tuple_(points.c.name_key, points.c.id)
            > tuple_(bindparam("after_key", type_=String), bindparam("after_id", type_=BigInteger))
        )
        .order_by(points.c.name_key, points.c.id)
        .limit(bindparam("page_size"))
    )


_LISTINGS = {
    (category, source): _listing(*(["category"] if category else []), *(["source"] if source else []))
    for category in (False, True)
    for source in (False, True)
}
"""A statement for each combination of filters, so that each walks along the index that fits it."""


def place_columns(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the derived columns: key of the name, grid cell and spatial position."""
    governs_stops = values["opening_hours"] is not None and (values["stop_radius_m"] > 0 or values["geometry"])
    place = values["lat"], values["lng"]
    return {
        "name_key": name_key(values["name"]),
        **dict(zip(AXES, to_unit_vector(place), strict=True)),
        "cell": cell_of(*place),
        "stop_cell": cell_of(*place, STOP_CELL_BITS) if governs_stops else None,
    }


async def insert_point(work: UnitOfWork, values: Mapping[str, Any], now: datetime) -> int:
    """Insert a point of interest and return its id.

    Raises `UniqueConflict` for an existing reference.
    """
    return await work.insert(points, **values, **place_columns(values), created_at=now, updated_at=now)


async def update_point(work: UnitOfWork, id: int, values: Mapping[str, Any], now: datetime) -> bool:
    """Replace a point of interest; returns False if it does not exist.

    Raises `UniqueConflict` for an existing reference.
    """
    changed = {**values, **place_columns(values), "updated_at": now}
    return await work.run(_update.values(changed), point=id) > 0


async def delete_point(work: UnitOfWork, id: int) -> bool:
    """Delete a point of interest. False where there is none."""
    return await work.run(_delete, point=id) > 0


async def get_point_row(work: UnitOfWork, id: int) -> PointRow | None:
    """A point of interest, or None."""
    return await work.first(_by_id, PointRow, point=id)


async def get_point_rows(work: UnitOfWork, ids: Collection[int]) -> dict[int, PointRow]:
    """Points of interest by id."""
    rows = await work.all(_by_ids, PointRow, ids=list(ids)) if ids else []
    return {row.id: row for row in rows}


class _ReferenceRow(Row):
    id: int
    reference: str


async def find_points_by_reference(work: UnitOfWork, references: Collection[str]) -> dict[str, int]:
    """The ids of the places that have these references."""
    rows = await work.all(_by_references, _ReferenceRow, references=list(references)) if references else []
    return {row.reference: row.id for row in rows}


async def list_point_rows(
    work: UnitOfWork,
    *,
    category: str | None,
    source: str | None,
    search: str | None,
    after: tuple[str, int],
    limit: int,
) -> Sequence[PointRow]:
    """Places by name, after a name and an id."""
    prefix = name_key(search or "")
    named = {name: value for name, value in (("category", category), ("source", source)) if value is not None}
    return await work.all(
        _LISTINGS[category is not None, source is not None],
        PointRow,
        **named,
        prefix=prefix,
        prefix_end=prefix + _END_OF_PREFIX,
        after_key=after[0],
        after_id=after[1],
        page_size=limit,
    )


async def list_categories(work: UnitOfWork) -> list[str]:
    """The categories in use."""
    return [row[0] for row in await work.all(_categories)]


async def list_points_in_cells(
    work: UnitOfWork, ranges: Sequence[CellRange], *, lat: float, lng: float, category: str | None, limit: int
) -> Sequence[PointRow]:
    """Places in some ranges of cells, the nearest first."""
    padded = [*ranges, *[NO_CELLS] * (MAX_RANGES - len(ranges))]
    values: dict[str, Any] = {f"first_{at}": first for at, (first, _) in enumerate(padded)}
    values |= {f"last_{at}": last for at, (_, last) in enumerate(padded)}
    values |= {f"from_{axis}": part for axis, part in zip(AXES, to_unit_vector((lat, lng)), strict=True)}
    if category is None:
        return await work.all(_nearby, PointRow, **values, page_size=limit)
    return await work.all(_nearby_of_category, PointRow, **values, category=category, page_size=limit)


async def list_open_places(work: UnitOfWork, cells: Collection[int]) -> Sequence[OpeningPlaceRow]:
    """Places with opening hours in these cells of `STOP_CELL_BITS`."""
    return await work.all(_open_places, OpeningPlaceRow, cells=list(cells)) if cells else []
