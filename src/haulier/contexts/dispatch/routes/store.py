"""The table of routes. Who drives, whose it is and what was observed; its stops are in `stops.store`."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import Column, Date, Index, Select, String, bindparam, func, select, update

from haulier.contexts.dispatch.depots.store import depots
from haulier.contexts.dispatch.drivers.store import drivers
from haulier.contexts.dispatch.fields import NAME_MAX, REASON_MAX
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
    Column("planned_start_at", UTCDateTime),
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
_one = _seen.where(routes.c.id == bindparam("route"))
_locked = _one.with_for_update(of=routes)
_counted = select(func.count()).select_from(_joined)
_FILTERS = {
    "since": routes.c.day >= bindparam("since"),
    "until": routes.c.day <= bindparam("until"),
    "standing": routes.c.status == bindparam("standing"),
    "driver": routes.c.driver_id == bindparam("driver"),
    "contractor": routes.c.contractor_id == bindparam("contractor"),
    "depot": routes.c.depot_id == bindparam("depot"),
    "driving_user": drivers.c.user_id == bindparam("driving_user"),
}
_of_day = (
    _seen.where(routes.c.day == bindparam("on_day"), routes.c.driver_id == bindparam("driver"))
    .where(routes.c.status != "cancelled")
    .order_by(routes.c.planned_start_at, routes.c.id)
)
_by_status = (
    select(routes.c.status, func.count().label("count"))
    .where(routes.c.day == bindparam("on_day"))
    .group_by(routes.c.status)
)


async def add(work: Work, **values: Any) -> int:
    """Write a route. Returns the id."""
    return await work.insert(routes, **values)


async def change(work: Work, route_id: int, **values: Any) -> None:
    """Change columns of a route."""
    await work.run(update(routes).where(routes.c.id == bindparam("route")).values(**values), route=route_id)


async def one(work: Work, route_id: int, *, lock: bool = False) -> Any:
    """A route of this client with the names of its depot and driver, or None. Locked, nobody else changes it meanwhile."""
    return await work.first(_locked if lock else _one, route=route_id)


async def of_driver_on(work: Work, driver_id: int, day: date) -> Sequence[Any]:
    """A driver's routes of a day, without those that were cancelled, earliest first."""
    return await work.all(_of_day, driver=driver_id, on_day=day)


async def page(work: Work, filters: Mapping[str, Any], *, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """A page of routes, latest day first, and how many match. Filters: the keys of `_FILTERS`."""
    listed = _matching(_seen, filters).order_by(routes.c.day.desc(), routes.c.id.desc())
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, **filters, page_size=limit, skipped=offset)
    return rows, await work.value(_matching(_counted, filters), **filters)


async def by_status(work: Work, day: date) -> dict[str, int]:
    """How many routes of a day stand where."""
    return {row.status: row.count for row in await work.all(_by_status, on_day=day)}


def _matching(statement: Select[Any], filters: Mapping[str, Any]) -> Select[Any]:
    return statement.where(*(_FILTERS[name] for name in filters))
