"""Builds as answers show them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import convert

from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.fleets import store as fleet_store
from haulier.contexts.dispatch.planning.contract import (
    Build,
    BuildFault,
    BuildFaultDetail,
    BuildStep,
    BuildSummary,
    PlannedPause,
    PlannedRoute,
    PlannedStop,
    PlanScore,
    RouteSketch,
    UnassignedOrder,
)
from haulier.contexts.dispatch.planning.rules.drawing import Drawn, DrawnRoute, DrawnStop, Left
from haulier.contexts.dispatch.planning.rules.states import BuildState, seen
from haulier.contexts.dispatch.refusals import OrderError
from haulier.contexts.dispatch.stops.rules import StopKind
from haulier.kernel.call import Call
from haulier.solvers.routing.plan import Reason


def summary(call: Call, row: Any) -> BuildSummary:
    """A build without its plan."""
    return BuildSummary(**_head(call, row))


async def build(call: Call, row: Any) -> Build:
    """A build with the best plan so far."""
    plan = convert(row.plan, Drawn) if row.plan else None
    routes, left = (plan.routes, plan.left) if plan else ((), ())
    drivers = await driver_store.some(call.work, [route.driver_id for route in routes])
    vehicles = await fleet_store.some(call.work, [route.vehicle_id for route in routes if route.vehicle_id])
    return Build(
        **_head(call, row),
        routes=[_route(call, route, drivers, vehicles) for route in routes],
        unassigned=[_left(call, each) for each in left],
        refused=[_error(call, each) for each in row.refused],
    )


def step(call: Call, row: Any) -> BuildStep:
    """A step of a build."""
    return BuildStep(
        number=row.number,
        at=row.at.astimezone(call.time_zone),
        state=BuildState(row.state),
        score=convert(row.sums, PlanScore) if row.sums else None,
        routes=convert(row.routes or [], list[RouteSketch]),
    )


def _head(call: Call, row: Any) -> dict[str, Any]:
    state = seen(row.state, row.job_state)
    times = ("created_at", "started_at", "updated_at", "finished_at", "committed_at")
    fault = {"id": "build_interrupted", "params": {}, "about": []} if state != row.state else row.fault
    return {
        "id": row.id,
        "day": row.day,
        "state": state,
        "orders": row.orders,
        "commits": bool(row.commits),
        "score": convert(row.sums, PlanScore) if row.sums else None,
        "steps": row.steps,
        **{name: _local(call, getattr(row, name)) for name in times},
        "route_ids": row.route_ids or [],
        "fault": fault and _fault(call, fault),
    }


def _fault(call: Call, fault: Mapping[str, Any]) -> BuildFault:
    errors = [
        BuildFaultDetail(field=e["field"], code=e["id"].upper(), message=call.say(e["id"], **e["params"]))
        for e in fault["about"]
    ]
    return BuildFault(code=fault["id"].upper(), message=call.say(fault["id"], **fault["params"]), errors=errors)


def _error(call: Call, said: Mapping[str, Any]) -> OrderError:
    return OrderError(
        order_id=said["order_id"], message=call.say(said["id"], **said["params"]), code=said["id"].upper()
    )


def _route(call: Call, route: DrawnRoute, drivers: Mapping[int, Any], vehicles: Mapping[int, Any]) -> PlannedRoute:
    driver, vehicle = drivers.get(route.driver_id), vehicles.get(route.vehicle_id or 0)
    return PlannedRoute(
        driver_id=route.driver_id,
        driver_name=driver.name if driver else None,
        vehicle_id=route.vehicle_id,
        vehicle_name=vehicle.name if vehicle else None,
        depot_id=route.depot_id,
        contractor_id=route.contractor_id,
        route_id=route.route_id,
        start_at=_at(call, route.start_s),
        end_at=_at(call, route.end_s),
        distance_m=route.distance_m,
        cost=route.cost,
        pauses=[PlannedPause(start_at=_at(call, start), end_at=_at(call, end)) for start, end in route.pauses],
        stops=_stops(call, route.stops),
    )


def _stops(call: Call, stops: Sequence[DrawnStop]) -> list[PlannedStop]:
    return [
        PlannedStop(
            order_id=stop.order_id,
            kind=StopKind(stop.kind),
            lat=stop.lat,
            lng=stop.lng,
            arrival_at=_at(call, stop.arrival_s),
            start_at=_at(call, stop.start_s),
            departure_at=_at(call, stop.departure_s),
            late_s=stop.late_s,
            distance_m=stop.way_m,
        )
        for stop in stops
    ]


def _left(call: Call, left: Left) -> UnassignedOrder:
    return UnassignedOrder(
        order_id=left.order_id, reason=left.reason, message=call.say(_message(left), **left.facts), facts=left.facts
    )


def _message(left: Left) -> str:
    """Capacity has words for each dimension, nobody to take it for each cause; and no place is not the same as no way."""
    if left.reason is Reason.CAPACITY:
        return f"build_reason_capacity_{left.facts['dimension']}"
    if left.reason is Reason.UNREACHABLE and left.facts.get("place") == "unknown":
        return "build_reason_no_place"
    if left.reason is Reason.POOL and "why" in left.facts:  # plans of before did not say
        return f"build_reason_pool_{left.facts['why']}"
    return f"build_reason_{left.reason.value}"


def _at(call: Call, seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone(call.time_zone)


def _local(call: Call, at: datetime | None) -> datetime | None:
    return at and at.astimezone(call.time_zone)
