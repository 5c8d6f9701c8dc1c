"""Monitoring of a day: driver positions, route progress, exceptions and changes."""

from datetime import date
from typing import Any

from msgspec import UNSET

from haulier.contexts.dispatch.monitoring.contract import (
    DayChangeList,
    DayException,
    DayExceptionList,
    DayProgress,
    DriverActivityList,
    ListDayChanges,
    MonitorDay,
    MonitorDrivers,
    MonitorExceptions,
)
from haulier.contexts.dispatch.monitoring.queries import (
    get_started_routes_by_driver,
    load_day_changes,
    load_monitored_routes,
    load_monitored_stops,
)
from haulier.contexts.dispatch.monitoring.rules import detect_exceptions, tally_stops
from haulier.contexts.dispatch.monitoring.serializers import serialize_driver_activity, serialize_route_progress
from haulier.contexts.driver_app.public import get_latest_positions
from haulier.contexts.fleet.public import list_driver_rows
from haulier.contexts.routes.public import DISPATCH_CHANNEL, RouteRow, list_route_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EventStream, GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.records import record

DISPATCHERS = OFFICE | {Account.CONTRACTOR}
LIVE = EventStream("/v1/dispatch/days/{day}/stream", DISPATCH_CHANNEL, "day", "changes", of_client=True)
SUMMED_FIELDS = ("stops_total", "stops_done", "stops_failed", "stops_left", "stops_cancelled", "on_time", "late")
ROUTES_LOOKED_AT = 2_000
"""Maximum number of routes searched for exceptions. With more, `total` is a lower bound."""


@reads(
    "dispatch_drivers",
    audience=DISPATCHERS,
    scopes={Scope.DRIVERS_READ, Scope.ROUTES_READ},
    interfaces=(Rest("GET", "/v1/dispatch/drivers"), GraphQL("dispatchDrivers")),
)
async def dispatch_drivers(call: Call, request: MonitorDrivers) -> DriverActivityList:
    """List the last known positions of drivers.

    Returns every active driver with the age of the position, route, stop, and state: driving, at a stop, idle, or
    offline without a signal. A contractor sees only their own drivers.
    """
    filters = {"enabled": True, "contractor": _contractor_filter(call, request.contractor_id)}
    given_filters = {name: value for name, value in filters.items() if value is not None}
    rows, total = await list_driver_rows(call, given_filters, limit=request.per_page, offset=request.offset)
    ids = [row.id for row in rows]
    driving = await get_started_routes_by_driver(call, ids)
    stops, orders = await load_monitored_stops(call, [route.id for route in driving.values()])
    positions = await get_latest_positions(call, ids)
    return DriverActivityList(
        total=total,
        page=request.page,
        per_page=request.per_page,
        as_of=call.local_time(call.now),
        drivers=[
            serialize_driver_activity(
                call, row, positions.get(row.id), driving.get(row.id), stops, orders, request.limits
            )
            for row in rows
        ],
    )


@reads(
    "dispatch_progress",
    audience=DISPATCHERS,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", "/v1/dispatch/progress"), GraphQL("dispatchProgress")),
)
async def dispatch_progress(call: Call, request: MonitorDay) -> DayProgress:
    """Get the progress of routes of a day.

    Returns the stops done, failed and left, and the stops reached on time. Based on actual times; there are no
    forecasts. A contractor sees only their own routes.
    """
    day, rows, total = await _list_day_routes(call, request)
    limits = request.limits
    routes = [
        serialize_route_progress(call, row, route, tally_stops(route.stops, limits))
        for row, route in zip(rows, await load_monitored_routes(call, rows), strict=True)
    ]
    sums: dict[str, Any] = {name: sum(getattr(route, name) for route in routes) for name in SUMMED_FIELDS}
    return DayProgress(
        total=total,
        page=request.page,
        per_page=request.per_page,
        day=day,
        as_of=call.local_time(call.now),
        routes=routes,
        **sums,
    )


@reads(
    "dispatch_exceptions",
    audience=DISPATCHERS,
    scopes={Scope.ROUTES_READ},
    interfaces=(
        Rest("GET", "/v1/dispatch/exceptions"),
        GraphQL("dispatchExceptions"),
        Mcp("dispatch_exceptions", title="List exceptions on the routes of a day"),
    ),
)
async def dispatch_exceptions(call: Call, request: MonitorExceptions) -> DayExceptionList:
    """List exceptions on the routes of a day.

    Exceptions are late routes, missed windows, failed stops, idle drivers, deviations, lost signals, wrong device
    clocks, declined routes, routes without an active driver, goods on board of cancelled orders and aborted routes, and
    deliveries reported against a cancellation or handover. Each has its start time. A contractor sees only their own.
    """
    day, filters = _day_filters(call, request)
    rows, routes_total = await list_route_rows(call, filters, limit=ROUTES_LOOKED_AT, offset=0)
    names = {row.driver_id: row.driver_name for row in rows}
    detected = detect_exceptions(await load_monitored_routes(call, rows), call.now, request.limits)
    exceptions = [exception for exception in detected if request.kind in (None, exception.kind)]
    return DayExceptionList(
        day=day,
        as_of=call.local_time(call.now),
        total=len(exceptions),
        total_is_floor=routes_total > len(rows) or UNSET,
        page=request.page,
        per_page=request.per_page,
        exceptions=[
            record(
                DayException,
                exception,
                driver_name=names.get(exception.driver_id),
                since=call.local_time(exception.since),
                message=call.translate(f"exception_{exception.kind.value}"),
            )
            for exception in exceptions[request.offset : request.offset + request.per_page]
        ],
    )


@reads(
    "dispatch_changes",
    audience=DISPATCHERS,
    scopes={Scope.ROUTES_READ, Scope.DRIVERS_READ},
    interfaces=(Rest("GET", "/v1/dispatch/days/{day}/changes", event_stream=LIVE), GraphQL("dispatchChanges")),
)
async def dispatch_changes(call: Call, request: ListDayChanges) -> DayChangeList:
    """List changes of a day since a cursor.

    Returns latest positions, stops reached and completed, and routes started and finished. At `/stream` instead of
    `/changes`, changes are pushed as server-sent events. A change can be sent twice; it describes the current state.
    """
    return await load_day_changes(call, request, _contractor_filter(call, None))


async def _list_day_routes(call: Call, request: MonitorDay) -> tuple[date, list[RouteRow], int]:
    day, filters = _day_filters(call, request)
    rows, total = await list_route_rows(call, filters, limit=request.per_page, offset=request.offset)
    return day, list(rows), total


def _day_filters(call: Call, request: MonitorDay) -> tuple[date, dict[str, Any]]:
    day = request.day or call.today
    filters = {"since": day, "until": day, "contractor": _contractor_filter(call, request.contractor_id)}
    return day, {name: value for name, value in filters.items() if value is not None}


def _contractor_filter(call: Call, contractor_id: int | None) -> int | None:
    return call.actor if call.principal.account is Account.CONTRACTOR else contractor_id
