"""Routes as rows and as the rules see them: found, locked, and refused where the caller may not."""

from collections.abc import Iterable, Mapping
from typing import Any

from haulier.contexts.dispatch.routes import store
from haulier.contexts.dispatch.routes.rules.machine import RouteAct, RouteStatus, must
from haulier.contexts.dispatch.routes.rules.people import (
    FROZEN,
    ROUTE_LOCKED,
    ROUTE_NOT_YOURS_TO_PLAN,
    RouteState,
    Viewer,
    may,
    sees,
)
from haulier.contexts.dispatch.routes.rules.progress import StopState
from haulier.contexts.dispatch.stops.rules import StopKind, StopStatus
from haulier.kernel.call import Call
from haulier.kernel.errors import NOT_FOUND, problem

ROUTE_CHANGED = problem("route_changed", 409)


def viewer_of(call: Call) -> Viewer:
    """The caller, as the rules see them."""
    return Viewer(call.principal.account, call.actor)


def route_state(row: Any) -> RouteState:
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


def stop_state(row: Any) -> StopState:
    """A stop, as the rules see it."""
    return StopState(
        id=row.id,
        order_id=row.order_id,
        kind=StopKind(row.kind),
        status=StopStatus(row.status),
        on_route=bool(row.on_route),
        locked=row.locked_at is not None,
    )


def stop_states(rows: Iterable[Any]) -> list[StopState]:
    """Stops, as the rules see them, in the order in which they came."""
    return [stop_state(row) for row in rows]


async def visible_route(call: Call, route_id: int, *, lock: bool = False) -> Any:
    """The row of a route that the caller may see. Raises `NOT_FOUND`."""
    row = await store.one(call.work, route_id, lock=lock)
    if row is None or not sees(route_state(row), viewer_of(call)):
        raise NOT_FOUND()
    return row


async def route_for(
    call: Call, route_id: int, act: RouteAct, *, expected: int | None = None
) -> tuple[Any, RouteStatus]:
    """A route, held for this call, to which the caller may do this now, and the status that it leads to.

    `expected` is the version that the caller knows. Raises `NOT_FOUND`, `ROUTE_NOT_YOURS_TO_PLAN`, `ROUTE_CHANGED`,
    `ROUTE_LOCKED` or `ROUTE_CANNOT`.
    """
    row = await visible_route(call, route_id, lock=True)
    return row, _allowed(call, row, act, expected)


async def routes_for(call: Call, acts: Mapping[int, RouteAct], expected: Mapping[int, int | None]) -> dict[int, Any]:
    """Several routes at once, like `route_for`: which act each is wanted for, and the versions that the caller knows."""
    rows = await store.some(call.work, acts, lock=True)
    for route_id, act in acts.items():
        if route_id not in rows or not sees(route_state(rows[route_id]), viewer_of(call)):
            raise NOT_FOUND()
        _allowed(call, rows[route_id], act, expected.get(route_id))
    return rows


def _allowed(call: Call, row: Any, act: RouteAct, expected: int | None) -> RouteStatus:
    route = route_state(row)
    if not may(act, route, viewer_of(call)):
        raise ROUTE_NOT_YOURS_TO_PLAN()
    if expected is not None and expected != row.version:
        raise ROUTE_CHANGED(route_id=row.id, version=row.version)
    if route.locked and act in FROZEN:
        raise ROUTE_LOCKED()
    return must(act, route.status)
