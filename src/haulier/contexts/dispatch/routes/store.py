"""The table of routes. Who drives, whose it is and what was observed; its stops are in `stops.store`."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import Column, Date, Index, Integer, Select, String, and_, bindparam, func, select, update

from haulier.contexts.dispatch.depots.store import depots
from haulier.contexts.dispatch.drivers.store import drivers
from haulier.contexts.dispatch.fields import NAME_MAX, REASON_MAX
from haulier.contexts.dispatch.routes.contract import Sort
from haulier.kernel.data.statement import among
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.work import Work

routes = tenant_table(
    "route",
    Column("name", String(NAME_MAX)),
    Column("day", Date, nullable=False),
    Column("depot_id", Id, nullable=False),
    Column("driver_id", Id),
    Column("contractor_id", Id),
    Column("status", String(20), nullable=False),
    Column("version", Integer, nullable=False),
    Column("merged_into", Id),
    Column("published_at", UTCDateTime),
    Column("published_by", Id),
    Column("locked_at", UTCDateTime),
    Column("locked_by", Id),
    Column("planned_start_at", UTCDateTime),
    Column("planned_end_at", UTCDateTime),
    Column("planned_distance_m", Integer),
    Column("started_at", UTCDateTime),
    Column("started_recorded_at", UTCDateTime),
    Column("finished_at", UTCDateTime),
    Column("finished_recorded_at", UTCDateTime),
    Column("cancel_reason", String(REASON_MAX)),
    Column("created_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Index(None, "client_id", "day"),
    Index(None, "client_id", "driver_id", "day"),
    Index(None, "client_id", "contractor_id", "day"),
)

_joined = routes.join(depots, depots.c.id == routes.c.depot_id).outerjoin(drivers, drivers.c.id == routes.c.driver_id)
_seen = select(
    routes,
    depots.c.name.label("depot_name"),
    drivers.c.name.label("driver_name"),
    drivers.c.user_id.label("driver_user_id"),
).select_from(_joined)
_some = _seen.where(among(routes.c.id, "ids")).order_by(routes.c.id)
_hold = select(routes.c.id).where(among(routes.c.id, "ids")).order_by(routes.c.id).with_for_update()
_counted = select(func.count()).select_from(_joined)
_FILTERS = {
    "on_day": routes.c.day == bindparam("on_day"),
    "since": routes.c.day >= bindparam("since"),
    "until": routes.c.day <= bindparam("until"),
    "standing": routes.c.status == bindparam("standing"),
    "driver": routes.c.driver_id == bindparam("driver"),
    "contractor": routes.c.contractor_id == bindparam("contractor"),
    "depot": routes.c.depot_id == bindparam("depot"),
    "driving_user": and_(drivers.c.user_id == bindparam("driving_user"), routes.c.published_at.is_not(None)),
    "undriven": routes.c.driver_id.is_(None),
    "driven": routes.c.driver_id.is_not(None),
    "published": routes.c.published_at.is_not(None),
    "unpublished": routes.c.published_at.is_(None),
}
_PLAIN = frozenset({"undriven", "driven", "published", "unpublished"})
"""Filters without a parameter."""


_SORTS = {
    Sort.LATEST_DAY: (routes.c.day.desc(),),
    Sort.EARLIEST_DAY: (routes.c.day,),
    Sort.NAME: (routes.c.name.nulls_last(),),
    Sort.DRIVER: (drivers.c.name.nulls_last(),),
    Sort.STATUS: (routes.c.status,),
    Sort.PLANNED_START: (routes.c.planned_start_at.nulls_last(),),
}
_of_day = (
    _seen.where(routes.c.day == bindparam("on_day"), routes.c.driver_id == bindparam("driver"))
    .where(routes.c.status != "cancelled")
    .order_by(routes.c.planned_start_at, routes.c.id)
)
_published_of_day = _of_day.where(routes.c.published_at.is_not(None))
_by_status = (
    select(routes.c.status, func.count().label("count"))
    .where(routes.c.day == bindparam("on_day"))
    .group_by(routes.c.status)
)


async def add(work: Work, *, published: bool = True, **values: Any) -> int:
    """Write a route, its first version. Returns the id. Drivers see it at once unless it is not published."""
    return (await add_many(work, [values], published=published))[0]


async def add_many(work: Work, rows: Sequence[Mapping[str, Any]], *, published: bool = True) -> list[int]:
    """Write routes that all have the same columns. Returns their ids in the order of the rows."""
    return await work.insert_many(routes, [{**_first_version(row, published=published), **row} for row in rows])


async def change(work: Work, route_id: int, **values: Any) -> None:
    """Change columns of a route; it then is a version later."""
    await change_all(work, [route_id], **values)


async def change_all(work: Work, route_ids: Collection[int], **values: Any) -> None:
    """Change columns of these routes, all alike; each then is a version later."""
    changed = update(routes).where(among(routes.c.id, "ids")).values(version=routes.c.version + 1, **values)
    await work.run(changed, ids=list(route_ids))


async def one(work: Work, route_id: int, *, lock: bool = False) -> Any:
    """A route of this client with the names of its depot and driver, or None. Locked, nobody else changes it meanwhile."""
    return (await some(work, [route_id], lock=lock)).get(route_id)


async def some(work: Work, route_ids: Collection[int], *, lock: bool = False) -> dict[int, Any]:
    """Routes of this client by id, lowest first. Locking many takes them in that order, so that two calls never cross.

    A row is read after its lock is held: what is joined to it must be as new as the row itself.
    """
    ids = sorted(route_ids)
    if lock:
        await work.all(_hold, ids=ids)
    return {row.id: row for row in await work.all(_some, ids=ids)} if ids else {}


async def of_driver_on(work: Work, driver_id: int, day: date, *, unpublished: bool = False) -> Sequence[Any]:
    """A driver's routes of a day, without those that were cancelled, earliest first. Planners also see unpublished ones."""
    return await work.all(_of_day if unpublished else _published_of_day, driver=driver_id, on_day=day)


async def page(
    work: Work, filters: Mapping[str, Any], *, limit: int, offset: int, sort: Sort = Sort.LATEST_DAY
) -> tuple[Sequence[Any], int]:
    """A page of routes, and how many match. Filters: the keys of `_FILTERS`."""
    params = {name: value for name, value in filters.items() if name not in _PLAIN}
    listed = _matching(_seen, filters).order_by(*_SORTS[sort], routes.c.id.desc())
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, **params, page_size=limit, skipped=offset)
    return rows, await work.value(_matching(_counted, filters), **params)


async def by_status(work: Work, day: date) -> dict[str, int]:
    """How many routes of a day stand where."""
    return {row.status: row.count for row in await work.all(_by_status, on_day=day)}


def _first_version(row: Mapping[str, Any], *, published: bool) -> dict[str, Any]:
    told = {"published_at": row["created_at"], "published_by": row.get("created_by")} if published else {}
    return {"version": 1, **told}


def _matching(statement: Select[Any], filters: Mapping[str, Any]) -> Select[Any]:
    return statement.where(*(_FILTERS[name] for name in filters))
