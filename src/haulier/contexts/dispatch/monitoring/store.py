"""What was seen of a day, out of the tables of routes, stops and positions: who drives what, and what changed since when."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, or_, select

from haulier.contexts.driver_app.positions.store import positions
from haulier.contexts.fleet.drivers.store import drivers
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.routes.store import routes
from haulier.contexts.routes.stops.store import stops
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import Id, UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork

ChangePlace = tuple[datetime, int]
"""When we heard of a change, and of which record: what a list of changes goes on after."""

_started = (
    select(routes.c.id, routes.c.driver_id, routes.c.status, routes.c.day)
    .where(in_param(routes.c.driver_id, "ids"), routes.c.status == RouteStatus.STARTED)
    .order_by(routes.c.started_at, routes.c.id)
)
_stop_told = func.coalesce(stops.c.ended_recorded_at, stops.c.arrived_recorded_at, type_=UTCDateTime())
_route_told = func.coalesce(routes.c.finished_recorded_at, routes.c.started_recorded_at, type_=UTCDateTime())
_since = bindparam("since", type_=UTCDateTime())
_after_id = bindparam("after_id", type_=Id)


def _changes_after(
    statement: Select[*tuple[Any, ...]], told: ColumnElement[Any], id: ColumnElement[Any]
) -> Select[*tuple[Any, ...]]:
    """The records of which we heard after a place in the list, in the order in which we heard of them."""
    return (
        statement.where(or_(told > _since, (told == _since) & (id > _after_id)))
        .order_by(told, id)
        .limit(bindparam("most"))
    )


_positions = _changes_after(
    select(positions, drivers.c.contractor_id).join(drivers, drivers.c.id == positions.c.driver_id),
    positions.c.recorded_at,
    positions.c.id,
)
_stops = _changes_after(
    select(
        stops.c.id,
        stops.c.route_id,
        stops.c.status,
        stops.c.ended_lat,
        stops.c.ended_lng,
        routes.c.driver_id,
        func.coalesce(stops.c.ended_at, stops.c.arrived_at, type_=UTCDateTime()).label("at"),
        _stop_told.label("told_at"),
    )
    .join(routes, routes.c.id == stops.c.route_id)
    .where(routes.c.day == bindparam("on_day")),
    _stop_told,
    stops.c.id,
)
_routes = _changes_after(
    select(
        routes.c.id,
        routes.c.status,
        routes.c.driver_id,
        func.coalesce(routes.c.finished_at, routes.c.started_at, type_=UTCDateTime()).label("at"),
        _route_told.label("told_at"),
    ).where(routes.c.day == bindparam("on_day")),
    _route_told,
    routes.c.id,
)


async def get_started_routes_by_driver(work: UnitOfWork, driver_ids: Collection[int]) -> dict[int, Any]:
    """The route that each of these drivers is driving: the one started last."""
    if not driver_ids:
        return {}
    return {row.driver_id: row for row in await work.all(_started, ids=list(driver_ids))}


async def list_changed_positions(
    work: UnitOfWork, after: ChangePlace, most: int, contractor_id: int | None
) -> Sequence[Any]:
    """Newest positions of which we heard after a place in the list."""
    statement, params = _of_contractor(_positions, drivers.c.contractor_id, contractor_id)
    return await work.all(statement, since=after[0], after_id=after[1], most=most, **params)


async def list_changed_stops(
    work: UnitOfWork, day: date, after: ChangePlace, most: int, contractor_id: int | None
) -> Sequence[Any]:
    """Stops of the day that were reached or ended, by when we heard of it."""
    statement, params = _of_contractor(_stops, routes.c.contractor_id, contractor_id)
    return await work.all(statement, on_day=day, since=after[0], after_id=after[1], most=most, **params)


async def list_changed_routes(
    work: UnitOfWork, day: date, after: ChangePlace, most: int, contractor_id: int | None
) -> Sequence[Any]:
    """Routes of the day that were started or finished, by when we heard of it."""
    statement, params = _of_contractor(_routes, routes.c.contractor_id, contractor_id)
    return await work.all(statement, on_day=day, since=after[0], after_id=after[1], most=most, **params)


def _of_contractor(
    statement: Select[*tuple[Any, ...]], column: ColumnElement[Any], contractor_id: int | None
) -> tuple[Select[*tuple[Any, ...]], dict[str, int]]:
    """The same, of one contractor where there is one."""
    if contractor_id is None:
        return statement, {}
    return statement.where(column == bindparam("contractor")), {"contractor": contractor_id}
