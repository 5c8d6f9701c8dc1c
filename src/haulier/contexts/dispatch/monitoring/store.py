"""Observations of a day, from the tables of routes, stops and positions."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, or_, select

from haulier.contexts.driver_app.public import positions
from haulier.contexts.fleet.public import drivers
from haulier.contexts.routes.public import routes, stops
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork

ChangePlace = tuple[datetime, int]
"""When a change was recorded, and the id of its record: a place in a list of changes."""


class StartedRouteRow(Row):
    """The route that a driver is driving."""

    id: int
    driver_id: int
    status: str
    day: date


class PositionChangeRow(Row):
    """The newest position of a driver."""

    id: int
    driver_id: int
    occurred_at: datetime
    recorded_at: datetime
    lat: float
    lng: float


class StopChangeRow(Row):
    """A stop that was reached or ended."""

    id: int
    route_id: int
    driver_id: int | None
    status: str
    ended_lat: float | None
    ended_lng: float | None
    occurred_at: datetime
    recorded_at: datetime


class RouteChangeRow(Row):
    """A route that was started or finished."""

    id: int
    driver_id: int | None
    status: str
    occurred_at: datetime
    recorded_at: datetime


_started = (
    select(routes.c.id, routes.c.driver_id, routes.c.status, routes.c.day)
    .where(in_param(routes.c.driver_id, "ids"), routes.c.status == RouteStatus.STARTED)
    .order_by(routes.c.started_at, routes.c.id)
)
_stop_recorded_at = func.coalesce(stops.c.ended_recorded_at, stops.c.arrived_recorded_at, type_=UTCDateTime())
_route_recorded_at = func.coalesce(routes.c.finished_recorded_at, routes.c.started_recorded_at, type_=UTCDateTime())
_since = bindparam("since", type_=UTCDateTime())
_after_id = bindparam("after_id", type_=Id)


def _changes_after(
    statement: Select[*tuple[Any, ...]], recorded_at: ColumnElement[Any], id: ColumnElement[Any]
) -> Select[*tuple[Any, ...]]:
    """The records after a place in the list, by when they were recorded."""
    return (
        statement.where(or_(recorded_at > _since, (recorded_at == _since) & (id > _after_id)))
        .order_by(recorded_at, id)
        .limit(bindparam("page_size"))
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
        func.coalesce(stops.c.ended_at, stops.c.arrived_at, type_=UTCDateTime()).label("occurred_at"),
        _stop_recorded_at.label("recorded_at"),
    )
    .join(routes, routes.c.id == stops.c.route_id)
    .where(routes.c.day == bindparam("on_day")),
    _stop_recorded_at,
    stops.c.id,
)
_routes = _changes_after(
    select(
        routes.c.id,
        routes.c.status,
        routes.c.driver_id,
        func.coalesce(routes.c.finished_at, routes.c.started_at, type_=UTCDateTime()).label("occurred_at"),
        _route_recorded_at.label("recorded_at"),
    ).where(routes.c.day == bindparam("on_day")),
    _route_recorded_at,
    routes.c.id,
)


async def get_started_routes_by_driver(work: UnitOfWork, driver_ids: Collection[int]) -> dict[int, StartedRouteRow]:
    """Return the route under way of each driver; of several, the one started last."""
    if not driver_ids:
        return {}
    return {row.driver_id: row for row in await work.all(_started, StartedRouteRow, ids=list(driver_ids))}


async def list_changed_positions(
    work: UnitOfWork, after: ChangePlace, limit: int, contractor_id: int | None
) -> Sequence[PositionChangeRow]:
    """Newest positions that were recorded after a place in the list."""
    statement, params = _of_contractor(_positions, drivers.c.contractor_id, contractor_id)
    return await work.all(statement, PositionChangeRow, since=after[0], after_id=after[1], page_size=limit, **params)


async def list_changed_stops(
    work: UnitOfWork, day: date, after: ChangePlace, limit: int, contractor_id: int | None
) -> Sequence[StopChangeRow]:
    """Stops of the day that were reached or ended, by when that was recorded."""
    statement, params = _of_contractor(_stops, routes.c.contractor_id, contractor_id)
    return await work.all(
        statement, StopChangeRow, on_day=day, since=after[0], after_id=after[1], page_size=limit, **params
    )


async def list_changed_routes(
    work: UnitOfWork, day: date, after: ChangePlace, limit: int, contractor_id: int | None
) -> Sequence[RouteChangeRow]:
    """Routes of the day that were started or finished, by when that was recorded."""
    statement, params = _of_contractor(_routes, routes.c.contractor_id, contractor_id)
    return await work.all(
        statement, RouteChangeRow, on_day=day, since=after[0], after_id=after[1], page_size=limit, **params
    )


def _of_contractor(
    statement: Select[*tuple[Any, ...]], column: ColumnElement[Any], contractor_id: int | None
) -> tuple[Select[*tuple[Any, ...]], dict[str, int]]:
    """Return the statement limited to a contractor, if any, and its parameters."""
    if contractor_id is None:
        return statement, {}
    return statement.where(column == bindparam("contractor")), {"contractor": contractor_id}
