"""Zone maps, their versions and their zones.

A row of a zone is never changed once it was published: it is in the versions from `since` until before `until`. The draft is
the version after the one in force, so that publishing it moves one number, however many zones there are.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Float,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    and_,
    bindparam,
    delete,
    func,
    or_,
    select,
    type_coerce,
    update,
)

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX
from haulier.kernel.values.polygons import Box

# Codes sort alike on both databases, and zones with one code differ by their start version.
_CODE = String(80).with_variant(String(80, collation="C"), "postgresql")

maps = tenant_table(
    "zone_map",
    Column("name", String(NAME_MAX), nullable=False),
    Column("description", String(NOTE_MAX)),
    Column("version", Integer, nullable=False),
    Column("archived", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
)
plain_columns(maps, "name", "description")
versions = tenant_table(
    "zone_map_version",
    Column("zone_map_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("published_at", UTCDateTime, nullable=False),
    Column("published_by", BigInteger),
    Column("note", String(NOTE_MAX)),
    Column("zones", Integer, nullable=False),
    UniqueConstraint("client_id", "zone_map_id", "number"),
    Index("ix_zone_map_version_published", "client_id", "published_at"),
)
plain_columns(versions, "note")
zones = tenant_table(
    "map_zone",
    Column("zone_map_id", BigInteger, nullable=False),
    Column("code", _CODE, nullable=False),
    Column("since", Integer, nullable=False),
    Column("until", Integer),
    Column("name", String(NAME_MAX), nullable=False),
    Column("rule", String(30), nullable=False),
    Column("priority", Integer, nullable=False),
    Column("colour", String(7)),
    Column("terms", Json, nullable=False),
    Column("geometry", Json, nullable=False),
    Column("area_m2", Float, nullable=False),
    Column("west", Float, nullable=False),
    Column("south", Float, nullable=False),
    Column("east", Float, nullable=False),
    Column("north", Float, nullable=False),
    Column("digest", String(32), nullable=False),
    UniqueConstraint("client_id", "zone_map_id", "code", "since"),
    Index("ix_map_zone_until", "client_id", "zone_map_id", "until"),
    Index("ix_map_zone_since", "client_id", "zone_map_id", "since"),
)
# Areas that a business draws: nothing in them is about a person.
plain_columns(
    zones,
    *("code", "name", "rule", "colour", "terms", "geometry", "area_m2"),
    *("west", "south", "east", "north", "digest"),
)


class MapRow(Row):
    """A map."""

    id: int
    name: str
    description: str | None
    version: int
    archived: bool
    created_at: datetime
    updated_at: datetime


class VersionRow(Row):
    """A version that was published."""

    number: int
    published_at: datetime
    published_by: int | None
    note: str | None
    zones: int


class ZoneRow(Row):
    """A zone as it is in some versions."""

    id: int
    zone_map_id: int
    code: str
    since: int
    until: int | None
    name: str
    rule: str
    priority: int
    colour: str | None
    terms: dict[str, Any]
    geometry: dict[str, Any]
    area_m2: float
    west: float
    south: float
    east: float
    north: float
    digest: str


class PublishedZoneRow(Row):
    """A zone in force; its geometry is still the text of a document."""

    zone_map_id: int
    code: str
    name: str
    rule: str
    priority: int
    terms: dict[str, Any]
    area_m2: float
    west: float
    south: float
    east: float
    north: float
    geometry: str


class _ChangeCount(Row):
    zone_map_id: int
    count: int


def _is_in(name: str) -> ColumnElement[bool]:
    """Return the condition that a zone is in the version of a parameter."""
    version = bindparam(name, type_=Integer)
    return and_(zones.c.since <= version, or_(zones.c.until.is_(None), zones.c.until > version))


_of_map = zones.c.zone_map_id == bindparam("map")
_map_by_id = select(maps).where(maps.c.id == bindparam("map"))
_map_by_id_locked = _map_by_id.with_for_update()
_wanted = maps.c.archived.is_(False) | bindparam("all", type_=Boolean)
_list_maps = (
    select(maps)
    .where(_wanted)
    .order_by(maps.c.name, maps.c.id)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_count_maps = select(func.count()).select_from(maps).where(_wanted)
_draft_changes = (
    select(zones.c.zone_map_id, func.count(zones.c.code.distinct()).label("count"))
    .join(maps, and_(maps.c.id == zones.c.zone_map_id, maps.c.client_id == zones.c.client_id))
    .where(in_param(zones.c.zone_map_id, "maps"))
    .where(or_(zones.c.since == maps.c.version + 1, zones.c.until == maps.c.version + 1))
    .group_by(zones.c.zone_map_id)
)
_update_map = update(maps).where(maps.c.id == bindparam("map"))
_zone = select(zones).where(_of_map, zones.c.code == bindparam("zone_code"), _is_in("at"))
_zones_by_code = select(zones).where(_of_map, in_param(zones.c.code, "codes"), _is_in("at"))
_any_rule = or_(bindparam("rule", type_=String).is_(None), zones.c.rule == bindparam("rule", type_=String))
_list_zones = (
    select(zones)
    .where(_of_map, _is_in("at"), _any_rule, zones.c.code > bindparam("after"))
    .order_by(zones.c.code)
    .limit(bindparam("page_size"))
)
_count_zones = select(func.count()).select_from(zones).where(_of_map, _is_in("at"))
_by_zone_id = zones.c.id == bindparam("zone")
_end_zone = update(zones).where(_by_zone_id).values(until=bindparam("at", type_=Integer))
_delete_zone = delete(zones).where(_by_zone_id)
_forget_draft = delete(zones).where(_of_map, zones.c.since == bindparam("draft"))
_keep_ended = update(zones).where(_of_map, zones.c.until == bindparam("draft")).values(until=None)
_end_newer = (
    update(zones)
    .where(_of_map, zones.c.until.is_(None), zones.c.since > bindparam("target", type_=Integer))
    .values(until=bindparam("draft", type_=Integer))
)
_ended_since = select(zones).where(
    _of_map,
    zones.c.since <= bindparam("target", type_=Integer),
    zones.c.until > bindparam("target", type_=Integer),
)
_list_versions = (
    select(versions)
    .where(versions.c.zone_map_id == bindparam("map"))
    .order_by(versions.c.number.desc())
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_different = (
    select(zones)
    .where(_of_map, or_(and_(_is_in("before"), ~_is_in("after")), and_(_is_in("after"), ~_is_in("before"))))
    .order_by(zones.c.code, zones.c.since)
    .limit(bindparam("page_size"))
)
_stamp = select(func.max(versions.c.id))
_publications = (
    select(versions.c.published_at)
    .where(versions.c.published_at > bindparam("since", type_=UTCDateTime))
    .order_by(versions.c.published_at)
    .distinct()
)
_in_force = (
    select(versions.c.client_id, versions.c.zone_map_id, func.max(versions.c.number).label("number"))
    .where(versions.c.published_at <= bindparam("moment", type_=UTCDateTime))
    .group_by(versions.c.client_id, versions.c.zone_map_id)
    .subquery()
)
# As text: a day's orders need few of ten thousand geometries, and parsing all takes a second.
_published = select(
    *(zones.c[name] for name in ("zone_map_id", "code", "name", "rule", "priority", "terms", "area_m2")),
    *(zones.c[name] for name in ("west", "south", "east", "north")),
    type_coerce(zones.c.geometry, Text).label("geometry"),
).join(
    _in_force,
    and_(
        _in_force.c.client_id == zones.c.client_id,
        _in_force.c.zone_map_id == zones.c.zone_map_id,
        zones.c.since <= _in_force.c.number,
        or_(zones.c.until.is_(None), zones.c.until > _in_force.c.number),
    ),
)
_drawn = (
    select(zones)
    .join(maps, and_(maps.c.id == zones.c.zone_map_id, maps.c.client_id == zones.c.client_id))
    .where(zones.c.since <= maps.c.version, or_(zones.c.until.is_(None), zones.c.until > maps.c.version))
    .where(zones.c.east >= bindparam("box_west", type_=Float), zones.c.west <= bindparam("box_east", type_=Float))
    .where(zones.c.north >= bindparam("box_south", type_=Float), zones.c.south <= bindparam("box_north", type_=Float))
    .order_by(zones.c.priority.desc(), zones.c.area_m2, zones.c.id)
    .limit(bindparam("page_size"))
)


async def insert_map(work: UnitOfWork, values: Mapping[str, Any], now: datetime) -> int:
    """Write a map without zones. Returns its id."""
    return await work.insert(maps, **values, version=0, archived=False, created_at=now, updated_at=now)


async def update_map(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a map."""
    await work.run(_update_map.values(**values), map=id)


async def get_map_row(work: UnitOfWork, id: int, *, lock: bool = False) -> MapRow | None:
    """A map, or None."""
    return await work.first(_map_by_id_locked if lock else _map_by_id, MapRow, map=id)


async def list_map_rows(work: UnitOfWork, *, archived: bool, limit: int, offset: int) -> tuple[Sequence[MapRow], int]:
    """A page of maps, by name, and how many there are."""
    rows = await work.all(_list_maps, MapRow, all=archived, page_size=limit, skipped=offset)
    return rows, await work.value(_count_maps, all=archived)


async def count_draft_changes(work: UnitOfWork, ids: Collection[int]) -> dict[int, int]:
    """Return the number of zones that each map's draft adds, changes or removes."""
    rows = await work.all(_draft_changes, _ChangeCount, maps=list(ids)) if ids else []
    return dict.fromkeys(ids, 0) | {row.zone_map_id: row.count for row in rows}


async def get_zone_row(work: UnitOfWork, map_id: int, code: str, version: int) -> ZoneRow | None:
    """A zone of a version, or None."""
    return await work.first(_zone, ZoneRow, map=map_id, zone_code=code, at=version)


async def get_zone_rows_by_code(
    work: UnitOfWork, map_id: int, codes: Collection[str], version: int
) -> dict[str, ZoneRow]:
    """Some zones of a version, by code."""
    rows = await work.all(_zones_by_code, ZoneRow, map=map_id, codes=list(codes), at=version) if codes else []
    return {row.code: row for row in rows}


async def list_zone_rows(
    work: UnitOfWork, map_id: int, version: int, *, rule: str | None, after: str, limit: int
) -> Sequence[ZoneRow]:
    """Zones of a version by code, after one."""
    return await work.all(_list_zones, ZoneRow, map=map_id, at=version, rule=rule, after=after, page_size=limit)


async def count_zones(work: UnitOfWork, map_id: int, version: int) -> int:
    """Return the number of zones in a version."""
    return await work.value(_count_zones, map=map_id, at=version)


async def insert_zone(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Write a zone that begins with the draft."""
    await work.insert(zones, **values)


async def end_zone(work: UnitOfWork, row: ZoneRow, draft: int) -> None:
    """Remove a zone from the draft.

    A zone that no version has is deleted. Others stay in their versions.
    """
    if row.since == draft:
        await work.run(_delete_zone, zone=row.id)
    else:
        await work.run(_end_zone, zone=row.id, at=draft)


async def discard_draft(work: UnitOfWork, map_id: int, draft: int) -> None:
    """Make the draft equal to the version in force."""
    await work.run(_forget_draft, map=map_id, draft=draft)
    await work.run(_keep_ended, map=map_id, draft=draft)


async def draft_version(work: UnitOfWork, map_id: int, target: int, draft: int) -> None:
    """Make a draft without changes equal to an earlier version."""
    await work.run(_end_newer, map=map_id, target=target, draft=draft)
    ended = await work.all(_ended_since, ZoneRow, map=map_id, target=target)
    again = [{**_columns(row), "since": draft, "until": None} for row in ended]
    if again:
        await work.insert_many(zones, again)


def _columns(row: ZoneRow) -> dict[str, Any]:
    return {column.name: getattr(row, column.name) for column in zones.c if column.name not in ("id", "client_id")}


async def insert_version(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Write down that a version was published."""
    await work.insert(versions, **values)


async def list_version_rows(work: UnitOfWork, map_id: int, *, limit: int, offset: int) -> Sequence[VersionRow]:
    """A page of versions, newest first."""
    return await work.all(_list_versions, VersionRow, map=map_id, page_size=limit, skipped=offset)


async def list_different_rows(work: UnitOfWork, map_id: int, before: int, after: int, limit: int) -> Sequence[ZoneRow]:
    """Zones that one of two versions has and the other has not, by code."""
    return await work.all(_different, ZoneRow, map=map_id, before=before, after=after, page_size=limit)


async def get_published_stamp(work: UnitOfWork) -> int:
    """A number that grows with each version that is published; 0 before the first."""
    return await work.value(_stamp) or 0


async def list_publications(work: UnitOfWork, since: datetime) -> list[datetime]:
    """When versions were published after a moment, in order."""
    return [row[0] for row in await work.all(_publications, since=since)]


async def list_published_zones(work: UnitOfWork, moment: datetime) -> Sequence[PublishedZoneRow]:
    """The zones of all maps that were in force at a moment."""
    return await work.all(_published, PublishedZoneRow, moment=moment)


async def list_drawn_zones(work: UnitOfWork, box: Box, limit: int) -> Sequence[ZoneRow]:
    """Return the zones in force that touch a box, highest priority first.

    The box is (west, south, east, north).
    """
    west, south, east, north = box
    sides = {"box_west": west, "box_south": south, "box_east": east, "box_north": north}
    return await work.all(_drawn, ZoneRow, **sides, page_size=limit)
