"""Routes as rows and as rule facts, and routes locked for an action."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.rules.progress import (
    FORBIDDEN_WHEN_LOCKED,
    ROUTE_LOCKED,
    ROUTE_NOT_YOURS_TO_PLAN,
    RouteAction,
    RouteState,
    RouteStatus,
    RouteViewer,
    StopState,
    may_act_on_route,
    next_route_status_or_raise,
    sees_route,
)
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.queries import StopRow
from haulier.contexts.routes.stops.rules import StopKind, StopStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import declare_error, record_not_found
from haulier.solvers.routing.travel import TravelMode

# The driver route board and monitoring filter and page by route columns, which requires a join.
routes = store.routes

TO_BE_DRIVEN = frozenset({RouteStatus.DRAFT, RouteStatus.ASSIGNED})
ROUTE_CHANGED = declare_error("route_changed", 409)


def get_route_viewer(call: Call) -> RouteViewer:
    """The caller, as the rules see them."""
    return RouteViewer(call.principal.account, call.actor)


def to_route_state(row: RouteRow) -> RouteState:
    """A route, as the rules see it."""
    return RouteState(
        status=RouteStatus(row.status),
        contractor_id=row.contractor_id,
        driver_user_id=row.driver_user_id,
        published=row.published_at is not None,
        locked=row.locked_at is not None,
        day=row.day,
        depot_id=row.depot_id,
    )


def to_stop_state(row: StopRow) -> StopState:
    """A stop, as the rules see it."""
    return StopState(
        id=row.id,
        order_id=row.order_id,
        kind=StopKind(row.kind),
        status=StopStatus(row.status),
        on_route=bool(row.on_route),
        locked=row.locked_at is not None,
        to_load=bool(row.to_load),
    )


def to_stop_states(rows: Iterable[StopRow]) -> list[StopState]:
    """Stops, as the rules see them, in the order of the rows."""
    return [to_stop_state(row) for row in rows]


async def get_visible_route(call: Call, route_id: int, *, lock: bool = False) -> RouteRow:
    """The row of a route that the caller may see. Raises `NOT_FOUND`."""
    row = await store.get_route_row(call.work, route_id, lock=lock)
    if row is None or not sees_route(to_route_state(row), get_route_viewer(call)):
        raise record_not_found(route_id=route_id)
    return row


async def lock_route_for_action(
    call: Call, route_id: int, action: RouteAction, *, expected: int | None = None
) -> tuple[RouteRow, RouteStatus]:
    """Lock a route for an action, and return it with the resulting status.

    `expected` is the version that the caller knows. Raises `NOT_FOUND`, `ROUTE_NOT_YOURS_TO_PLAN`, `ROUTE_CHANGED`,
    `ROUTE_LOCKED` or `ROUTE_CANNOT`.
    """
    row = await get_visible_route(call, route_id, lock=True)
    return row, _require_route_action(call, row, action, expected)


async def lock_routes_for_actions(
    call: Call, actions: Mapping[int, RouteAction], expected: Mapping[int, int | None]
) -> dict[int, RouteRow]:
    """Lock several routes for an action each, as `lock_route_for_action`.

    `expected` are the versions that the caller knows.
    """
    rows = await store.get_route_rows(call.work, actions, lock=True)
    for route_id, action in actions.items():
        if route_id not in rows or not sees_route(to_route_state(rows[route_id]), get_route_viewer(call)):
            raise record_not_found(route_id=route_id)
        _require_route_action(call, rows[route_id], action, expected.get(route_id))
    return rows


def _require_route_action(call: Call, row: RouteRow, action: RouteAction, expected: int | None) -> RouteStatus:
    route = to_route_state(row)
    if not may_act_on_route(action, route, get_route_viewer(call)):
        raise ROUTE_NOT_YOURS_TO_PLAN()
    if expected is not None and expected != row.version:
        raise ROUTE_CHANGED(route_id=row.id, version=row.version)
    if route.locked and action in FORBIDDEN_WHEN_LOCKED:
        raise ROUTE_LOCKED()
    return next_route_status_or_raise(action, route.status)


async def get_route_row(call: Call, route_id: int, *, lock: bool = False) -> RouteRow | None:
    """Return a route with the names of its depot and driver, or None.

    With `lock`, it is locked until the transaction ends.
    """
    return await store.get_route_row(call.work, route_id, lock=lock)


async def get_route_rows(call: Call, route_ids: Collection[int], *, lock: bool = False) -> dict[int, RouteRow]:
    """Return routes of this client by ascending id, optionally locked."""
    return await store.get_route_rows(call.work, route_ids, lock=lock)


async def list_route_rows(
    call: Call, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[RouteRow], int]:
    """Return a page of routes, latest day first, and the number of matches.

    Filters are those of `store.list_route_rows`.
    """
    return await store.list_route_rows(call.work, filters, limit=limit, offset=offset)


async def list_driver_route_rows(call: Call, driver_id: int, day: date) -> Sequence[RouteRow]:
    """A driver's published routes of a day, earliest first, without cancelled ones."""
    return await store.list_driver_route_rows(call.work, driver_id, day)


class RoutesOfDay(Struct, frozen=True, kw_only=True):
    """Routes of a day by status, open routes without a driver, and drivers in use."""

    by_status: dict[str, int]
    without_driver: int
    drivers: int
    driving: int


async def count_routes_of_day(call: Call, day: date, contractor_id: int | None) -> RoutesOfDay:
    """Count the routes of a day, of one contractor or of all; two statements."""
    rows, found = await store.count_day_routes(call.work, day, contractor_id)
    return RoutesOfDay(
        by_status={row.status: row.routes for row in rows},
        without_driver=sum(row.without_driver for row in rows if row.status in TO_BE_DRIVEN),
        drivers=found.drivers,
        driving=found.driving,
    )


def route_travel_mode(route: RouteRow) -> TravelMode:
    """Return the travel mode of a route.

    That of its vehicle, else of the usual vehicle of its driver, else by van.
    """
    return TravelMode(route.travel_mode or TravelMode.VAN)
