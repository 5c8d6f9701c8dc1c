"""The table of stops, with actual times as columns, and its SQL."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    Boolean,
    Column,
    Index,
    String,
    bindparam,
    case,
    delete,
    false,
    func,
    select,
    update,
)

from haulier.contexts.routes.stops.rules import SUCCESSFUL, UNSUCCESSFUL, StopKind, StopStatus
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import partial_unique_index
from haulier.kernel.data.unit_of_work import UnitOfWork


class StopRow(
    Record, table="route_stop", items=[Index(None, "client_id", "route_id"), Index(None, "client_id", "order_id")]
):
    """A stop. `kind`, `status` and `outcome` hold values of the enums in `rules`.

    `on_route` is true from planning until the parcel leaves the route undelivered; a delivered order keeps its route.

    `planned_distance_m` is what is driven to the stop from the one before it, or from the depot; `ended_distance_m` is
    how far from the stop the device was when it ended. `to_load`: its vehicle left the depot without it.
    `handed_over_from` is the route from which it was taken over last. `earlier_attempts` are failed visits before the
    stop was reopened.
    """

    route_id: Reference
    order_id: Reference
    kind: Annotated[str, String(10)]
    position: int
    status: Annotated[str, String(20)]
    on_route: bool
    planned_arrival_at: datetime | None
    planned_departure_at: datetime | None
    planned_distance_m: int | None
    locked_at: datetime | None
    locked_by: Reference | None
    arrived_at: datetime | None
    arrived_recorded_at: datetime | None
    ended_at: datetime | None
    ended_recorded_at: datetime | None
    ended_by: Reference | None
    ended_lat: float | None
    ended_lng: float | None
    ended_distance_m: int | None
    outcome: Annotated[str, String(10)] | None
    reason: Annotated[str, String(64)] | None
    return_reason: Annotated[str, String(64)] | None
    note: Annotated[str, String(500)] | None
    proof: dict[str, Any] | None
    earlier_attempts: list[dict[str, Any]] | None
    to_load: Annotated[bool, Column("to_load", Boolean, nullable=False, server_default=false())]
    dispute: Annotated[str, String(40)] | None
    handed_over_at: datetime | None
    handed_over_from: Reference | None


stops = StopRow.table
personal_data(
    stops,
    RecordKind.PROOFS,
    by={"order_id": PersonKey.ORDER},
    gives={"id": PersonKey.STOP, "route_id": PersonKey.ROUTE},
    erased={"proof": None, "earlier_attempts": None, "ended_lat": None, "ended_lng": None},
    plain=("kind", "status", "outcome", "reason", "return_reason", "dispute"),
)
personal_data(stops, RecordKind.ORDER_CONTACTS, by={"order_id": PersonKey.ORDER}, erased={"note": None})
personal_data(
    stops,
    RecordKind.DRIVER_POSITIONS,
    by={"ended_by": PersonKey.USER},
    erased={"ended_lat": None, "ended_lng": None},
)

partial_unique_index("uq_route_stop_order", "on_route", stops.c.order_id, stops.c.kind)
"""An order stands on one route, whatever two planners do at once."""


class StopCountRow(Row):
    """Number of stops of a route, and of successful, failed and cancelled ones."""

    route_id: int
    total: int
    completed: int
    failed: int
    cancelled: int


PlannedLeg = tuple[int, datetime | None, datetime | None, int | None]
"""A stop's id, its planned arrival and departure, and the metres driven to it."""

_route_ids_of_orders = select(stops.c.order_id, stops.c.route_id).where(
    in_param(stops.c.order_id, "ids"), stops.c.on_route.is_(True)
)
_stops_of_routes = (
    select(stops).where(in_param(stops.c.route_id, "ids")).order_by(stops.c.route_id, stops.c.position, stops.c.id)
)
_counts = (
    select(
        stops.c.route_id,
        func.count().label("total"),
        func.sum(case((stops.c.status.in_(sorted(SUCCESSFUL)), 1), else_=0)).label("completed"),
        func.sum(case((stops.c.status.in_(sorted(UNSUCCESSFUL)), 1), else_=0)).label("failed"),
        func.sum(case((stops.c.status == StopStatus.CANCELLED, 1), else_=0)).label("cancelled"),
    )
    .where(in_param(stops.c.route_id, "ids"))
    .group_by(stops.c.route_id)
)
_renumber = update(stops).where(stops.c.id == bindparam("stop")).values(position=bindparam("new_position"))
_set_plan = (
    update(stops)
    .where(stops.c.id == bindparam("stop"))
    .values(
        planned_arrival_at=bindparam("arrival"),
        planned_departure_at=bindparam("departure"),
        planned_distance_m=bindparam("distance_m"),
    )
)
_clear_plan = (
    update(stops)
    .where(in_param(stops.c.id, "ids"))
    .values(planned_arrival_at=None, planned_departure_at=None, planned_distance_m=None)
)
_transfer = update(stops).where(in_param(stops.c.id, "ids")).values(route_id=bindparam("route"))
_lock = update(stops).where(in_param(stops.c.id, "ids")).values(locked_at=bindparam("at"), locked_by=bindparam("by"))
_stops_by_id = select(stops).where(in_param(stops.c.id, "ids")).order_by(stops.c.id)
_remove = delete(stops).where(in_param(stops.c.id, "ids"))
_detach = (
    update(stops)
    .where(stops.c.route_id == bindparam("route"), in_param(stops.c.order_id, "ids"))
    .values(on_route=False)
)
_collected = select(stops.c.order_id).where(
    in_param(stops.c.order_id, "ids"),
    stops.c.kind == StopKind.PICKUP,
    stops.c.status.in_(sorted(SUCCESSFUL)),
)
_stops_of_orders = (
    select(stops).where(in_param(stops.c.order_id, "ids"), stops.c.on_route.is_(True)).order_by(stops.c.id)
)


async def get_route_ids_by_order(work: UnitOfWork, order_ids: Collection[int]) -> dict[int, int]:
    """The route that each order stands on; an order on none is absent."""
    if not order_ids:
        return {}
    return {row.order_id: row.route_id for row in await work.all(_route_ids_of_orders, ids=list(order_ids))}


async def list_stops_of_routes(work: UnitOfWork, route_ids: Collection[int]) -> Sequence[StopRow]:
    """Every stop of these routes, route by route, in the order of visit."""
    return await work.all(_stops_of_routes, StopRow, ids=list(route_ids)) if route_ids else []


async def get_stop_rows(work: UnitOfWork, stop_ids: Collection[int]) -> dict[int, StopRow]:
    """Stops of this client by id."""
    return {row.id: row for row in await work.all(_stops_by_id, StopRow, ids=list(stop_ids))} if stop_ids else {}


async def list_stops_of_orders(work: UnitOfWork, order_ids: Collection[int]) -> Sequence[StopRow]:
    """The stops of these orders on the routes they stand on."""
    return await work.all(_stops_of_orders, StopRow, ids=list(order_ids)) if order_ids else []


async def count_stops_by_route(work: UnitOfWork, route_ids: Collection[int]) -> dict[int, StopCountRow]:
    """Return the number of stops by route. Routes without stops are absent."""
    if not route_ids:
        return {}
    return {row.route_id: row for row in await work.all(_counts, StopCountRow, ids=list(route_ids))}


async def insert_stops(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert planned stops. Raises `UniqueConflict` if an order is already on a route."""
    await work.insert_many(stops, [{"status": StopStatus.PLANNED, "on_route": True, **row} for row in rows])


async def renumber_stops(work: UnitOfWork, *sequences: Sequence[int]) -> None:
    """Number the stops of each route in the order of its sequence of ids, from 1."""
    await work.run_many(
        _renumber,
        [
            {"stop": stop_id, "new_position": position}
            for stop_ids in sequences
            for position, stop_id in enumerate(stop_ids, start=1)
        ],
    )


async def update_stop_plans(work: UnitOfWork, legs: Sequence[PlannedLeg]) -> None:
    """Write the planned times and distances of stops, of any number of routes."""
    await work.run_many(
        _set_plan,
        [
            {"stop": stop_id, "arrival": arrival, "departure": departure, "distance_m": distance_m}
            for stop_id, arrival, departure, distance_m in legs
        ],
    )


async def clear_stop_plans(work: UnitOfWork, stop_ids: Collection[int]) -> None:
    """Remove the planned times and distances of stops."""
    if stop_ids:
        await work.run(_clear_plan, ids=list(stop_ids))


async def transfer_stops(work: UnitOfWork, route_id: int, stop_ids: Collection[int]) -> None:
    """Move stops to another route. They keep their positions until `renumber_stops`."""
    await work.run(_transfer, ids=list(stop_ids), route=route_id)


async def set_stop_locks(work: UnitOfWork, stop_ids: Collection[int], at: datetime | None, by: int | None) -> None:
    """Lock stops in their positions, or unlock them where `at` is None."""
    if stop_ids:
        await work.run(_lock, ids=list(stop_ids), at=at, by=by)


async def delete_stops(work: UnitOfWork, stop_ids: Collection[int]) -> None:
    """Delete stops that were planned and never visited."""
    await work.run(_remove, ids=list(stop_ids))


async def detach_orders_from_route(work: UnitOfWork, route_id: int, order_ids: Collection[int]) -> None:
    """Take orders off a route whose stops stay as history."""
    if order_ids:
        await work.run(_detach, route=route_id, ids=list(order_ids))


async def detach_stops(work: UnitOfWork, stop_ids: Collection[int]) -> None:
    """Take stops off their route; they stay as history."""
    if stop_ids:
        await update_stops(work, stop_ids, on_route=False)


async def get_collected_order_ids(work: UnitOfWork, order_ids: Collection[int]) -> frozenset[int]:
    """Return the orders among these that were picked up on any route."""
    return (
        frozenset(row.order_id for row in await work.all(_collected, ids=list(order_ids))) if order_ids else frozenset()
    )


async def update_stops(work: UnitOfWork, stop_ids: Collection[int], **values: Any) -> None:
    """Change columns of these stops, all alike."""
    await work.run(update(stops).where(in_param(stops.c.id, "ids")).values(**values), ids=list(stop_ids))
