"""Table of routes and its SQL: driver, owner, planned and observed values."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Date,
    Index,
    Integer,
    Select,
    String,
    and_,
    bindparam,
    case,
    func,
    literal,
    select,
    update,
)

from haulier.contexts.fleet.public import depots, drivers, vehicles, working_profiles
from haulier.contexts.routes.routes.contract import RouteSort
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.contexts.routes.stops.queries import stops
from haulier.kernel.data.aggregates import json_agg_of
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, REASON_MAX

routes = tenant_table(
    "route",
    Column("name", String(NAME_MAX)),
    Column("day", Date, nullable=False),
    Column("depot_id", Id, nullable=False),
    Column("driver_id", Id),
    Column("vehicle_id", Id),
    Column("contractor_id", Id),
    Column("status", String(20), nullable=False),
    Column("version", Integer, nullable=False, server_default="1"),
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
    Column("clock_ahead_s", BigInteger),
    Column("clock_off_since", UTCDateTime),
    Column("cancel_reason", String(REASON_MAX)),
    Column("created_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Index(None, "client_id", "day"),
    Index(None, "client_id", "driver_id", "day"),
    Index(None, "client_id", "contractor_id", "day"),
)
personal_data(
    routes,
    RecordKind.ROUTES,
    by={"driver_id": PersonKey.DRIVER},
    erased={},
    in_use=routes.c.status.in_([RouteStatus.ASSIGNED.value, RouteStatus.STARTED.value]),
    plain=("name", "status", "cancel_reason"),
)


class RouteRow(Row):
    """A route with the names of its depot, driver and vehicle.

    `status` holds a value of `RouteStatus`, and `travel_mode` that of the vehicle, else of the driver's usual one.
    """

    id: int
    name: str | None
    day: date
    depot_id: int
    depot_name: str
    driver_id: int | None
    vehicle_id: int | None
    vehicle_name: str | None
    travel_mode: str | None
    driver_name: str | None
    driver_user_id: int | None
    driver_active: bool | None
    contractor_id: int | None
    status: str
    version: int
    merged_into: int | None
    published_at: datetime | None
    locked_at: datetime | None
    planned_start_at: datetime | None
    planned_end_at: datetime | None
    planned_distance_m: int | None
    started_at: datetime | None
    started_recorded_at: datetime | None
    finished_at: datetime | None
    finished_recorded_at: datetime | None
    clock_ahead_s: int | None
    clock_off_since: datetime | None
    cancel_reason: str | None


_joined = routes.join(depots, depots.c.id == routes.c.depot_id).outerjoin(drivers, drivers.c.id == routes.c.driver_id)
_joined_vehicles = _joined.outerjoin(
    working_profiles, and_(routes.c.vehicle_id.is_(None), working_profiles.c.driver_id == routes.c.driver_id)
).outerjoin(vehicles, vehicles.c.id == func.coalesce(routes.c.vehicle_id, working_profiles.c.vehicle_id))
_routes_with_names = select(
    routes,
    depots.c.name.label("depot_name"),
    drivers.c.name.label("driver_name"),
    drivers.c.user_id.label("driver_user_id"),
    drivers.c.active.label("driver_active"),
    case((routes.c.vehicle_id.is_not(None), vehicles.c.name)).label("vehicle_name"),
    vehicles.c.travel_mode.label("travel_mode"),
).select_from(_joined_vehicles)
_routes_by_id = _routes_with_names.where(in_param(routes.c.id, "ids")).order_by(routes.c.id)
_lock_routes = select(routes.c.id).where(in_param(routes.c.id, "ids")).order_by(routes.c.id).with_for_update()
_ORDER_PLACE_COLUMNS = (stops.c.route_id, stops.c.position, stops.c.status, stops.c.planned_arrival_at)
_visits = stops.join(routes, routes.c.id == stops.c.route_id).outerjoin(drivers, drivers.c.id == routes.c.driver_id)
_routes_of_orders = (
    select(stops.c.order_id, *_ORDER_PLACE_COLUMNS, routes.c.driver_id, drivers.c.name.label("driver_name"))
    .select_from(_visits)
    .where(in_param(stops.c.order_id, "ids"), stops.c.on_route.is_(True))
    .order_by(stops.c.order_id, stops.c.position)
)
_counted = select(func.count()).select_from(_joined)
_FILTERS = {
    "on_day": routes.c.day == bindparam("on_day"),
    "since": routes.c.day >= bindparam("since"),
    "until": routes.c.day <= bindparam("until"),
    "standing": routes.c.status == bindparam("standing"),
    "driver": routes.c.driver_id == bindparam("driver"),
    "contractor": routes.c.contractor_id == bindparam("contractor"),
    "depot": routes.c.depot_id == bindparam("depot"),
    "vehicle": routes.c.vehicle_id == bindparam("vehicle"),
    "driving_user": and_(drivers.c.user_id == bindparam("driving_user"), routes.c.published_at.is_not(None)),
    "undriven": routes.c.driver_id.is_(None),
    "driven": routes.c.driver_id.is_not(None),
    "published": routes.c.published_at.is_not(None),
    "unpublished": routes.c.published_at.is_(None),
}
_VALUELESS_FILTERS = frozenset({"undriven", "driven", "published", "unpublished"})
"""Filters without a parameter."""

_SORTS = {
    RouteSort.LATEST_DAY: (routes.c.day.desc(),),
    RouteSort.EARLIEST_DAY: (routes.c.day,),
    RouteSort.NAME: (routes.c.name.nulls_last(),),
    RouteSort.DRIVER: (drivers.c.name.nulls_last(),),
    RouteSort.STATUS: (routes.c.status,),
    RouteSort.PLANNED_START: (routes.c.planned_start_at.nulls_last(),),
}
_driver_routes_of_day = (
    _routes_with_names.where(routes.c.day == bindparam("on_day"), routes.c.driver_id == bindparam("driver"))
    .where(routes.c.status != "cancelled")
    .order_by(routes.c.planned_start_at, routes.c.id)
)
_published_driver_routes_of_day = _driver_routes_of_day.where(routes.c.published_at.is_not(None))


async def insert_route(work: UnitOfWork, *, published: bool = True, **values: Any) -> int:
    """Insert the first version of a route and return its id.

    Drivers see it at once if it is published.
    """
    return (await insert_routes(work, [values], published=published))[0]


async def insert_routes(work: UnitOfWork, rows: Sequence[Mapping[str, Any]], *, published: bool = True) -> list[int]:
    """Insert routes with identical columns, and return their ids in row order."""
    return await work.insert_many(routes, [{**_first_version(row, published=published), **row} for row in rows])


async def update_route(work: UnitOfWork, route_id: int, **values: Any) -> None:
    """Change columns of a route and raise its version by one."""
    await update_routes(work, [route_id], **values)


async def update_routes(work: UnitOfWork, route_ids: Collection[int], **values: Any) -> None:
    """Change columns of these routes, all alike, and raise each version by one."""
    changed = update(routes).where(in_param(routes.c.id, "ids")).values(version=routes.c.version + 1, **values)
    await work.run(changed, ids=list(route_ids))


async def set_clock_off(
    work: UnitOfWork, route_ids: Collection[int], *, ahead_s: int, since: datetime, driver_id: int | None
) -> None:
    """Write the clock offset of the routes' device, and its start.

    The version of a route is unchanged.
    """
    changed = update(routes).where(in_param(routes.c.id, "ids"))
    if driver_id is not None:
        changed = changed.where(routes.c.driver_id == driver_id)
    changed = changed.values(
        clock_ahead_s=ahead_s, clock_off_since=func.coalesce(routes.c.clock_off_since, literal(since, UTCDateTime()))
    )
    await work.run(changed, ids=sorted(set(route_ids)))


async def get_route_row(work: UnitOfWork, route_id: int, *, lock: bool = False) -> RouteRow | None:
    """Return a route with the names of its depot and driver, or None.

    With `lock`, it is locked until the transaction ends.
    """
    return (await get_route_rows(work, [route_id], lock=lock)).get(route_id)


async def get_route_rows(work: UnitOfWork, route_ids: Collection[int], *, lock: bool = False) -> dict[int, RouteRow]:
    """Return routes of this client by ascending id, optionally locked."""
    ids = sorted(route_ids)
    if not ids:
        return {}
    if lock:
        # Locked by ascending id, so that two calls never wait for each other. Read after that, so that the joined depot
        # and driver are as current as the locked row.
        await work.all(_lock_routes, ids=ids)
    return {row.id: row for row in await work.all(_routes_by_id, RouteRow, ids=ids)}


class OrderPlaceRow(Row):
    """A visit to an order, with its route and driver."""

    order_id: int
    route_id: int
    position: int
    status: str
    planned_arrival_at: datetime | None
    driver_id: int | None
    driver_name: str | None


async def list_order_places(work: UnitOfWork, order_ids: Collection[int]) -> Sequence[OrderPlaceRow]:
    """Return the visits to these orders on their routes, in order of visit."""
    return await work.all(_routes_of_orders, OrderPlaceRow, ids=sorted(set(order_ids))) if order_ids else []


def order_places_column(order_id: ColumnElement[int]) -> ColumnElement[Any]:
    """Return a column with an order's visits on its route.

    The visits are unordered plain documents.
    """
    columns = {column.name: column for column in (*_ORDER_PLACE_COLUMNS, routes.c.driver_id)}
    of = (stops.c.order_id == order_id) & stops.c.on_route.is_(True)
    return json_agg_of({**columns, "driver_name": drivers.c.name}, _visits, of=of, label="places")


async def list_driver_route_rows(
    work: UnitOfWork, driver_id: int, day: date, *, unpublished: bool = False
) -> Sequence[RouteRow]:
    """Return a driver's routes of a day, earliest first.

    Without cancelled ones, and with unpublished ones only on request.
    """
    return await work.all(
        _driver_routes_of_day if unpublished else _published_driver_routes_of_day,
        RouteRow,
        driver=driver_id,
        on_day=day,
    )


async def list_route_rows(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int, sort: RouteSort = RouteSort.LATEST_DAY
) -> tuple[Sequence[RouteRow], int]:
    """A page of routes, and how many match. Filters: the keys of `_FILTERS`."""
    params = {name: value for name, value in filters.items() if name not in _VALUELESS_FILTERS}
    listed = _matching(_routes_with_names, filters).order_by(*_SORTS[sort], routes.c.id.desc())
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, RouteRow, **params, page_size=limit, skipped=offset)
    return rows, await work.value(_matching(_counted, filters), **params)


class RouteCountRow(Row):
    """Number of routes of a day with a status, and of those without a driver."""

    status: str
    routes: int
    without_driver: int


class RouteDriverRow(Row):
    """Number of drivers with a route on a day, and of those driving."""

    drivers: int
    driving: int


async def count_day_routes(
    work: UnitOfWork, day: date, contractor_id: int | None
) -> tuple[list[RouteCountRow], RouteDriverRow]:
    """The routes of a day by status, and their drivers; two statements."""
    where = [routes.c.day == bindparam("on_day", type_=Date())]
    params: dict[str, Any] = {"on_day": day}
    if contractor_id is not None:
        where.append(routes.c.contractor_id == bindparam("contractor"))
        params["contractor"] = contractor_id
    counted = select(
        routes.c.status,
        func.count().label("routes"),
        func.count().filter(routes.c.driver_id.is_(None)).label("without_driver"),
    )
    rows = await work.all(counted.where(*where).group_by(routes.c.status), RouteCountRow, **params)
    started = routes.c.status == RouteStatus.STARTED.value
    drivers_of_day = select(
        func.count(routes.c.driver_id.distinct()).label("drivers"),
        func.count(routes.c.driver_id.distinct()).filter(started).label("driving"),
    ).where(*where, routes.c.status != RouteStatus.CANCELLED.value)
    found = await work.first(drivers_of_day, RouteDriverRow, **params)
    assert found is not None  # a count has a row
    return rows, found


def _first_version(row: Mapping[str, Any], *, published: bool) -> dict[str, Any]:
    publication = {"published_at": row["created_at"], "published_by": row.get("created_by")} if published else {}
    return {"version": 1, **publication}


def _matching(statement: Select[Any], filters: Mapping[str, Any]) -> Select[Any]:
    return statement.where(*(_FILTERS[name] for name in filters))
