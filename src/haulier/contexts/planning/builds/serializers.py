"""Builds as answers show them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import convert

from haulier.contexts.fleet.drivers import store as driver_store
from haulier.contexts.fleet.vehicles import store as fleet_store
from haulier.contexts.planning.builds.contract.answers import (
    BuildError,
    BuildErrorDetail,
    BuildStep,
    BuildSummary,
    PlannedBreak,
    PlannedRoute,
    PlannedStop,
    PlanScore,
    RouteBuild,
    RouteOutline,
    UnassignedOrder,
)
from haulier.contexts.planning.builds.rules.lifecycle import BuildState, effective_build_state
from haulier.contexts.planning.builds.rules.plan_document import (
    PlanDocument,
    RouteDocument,
    StopDocument,
    UnassignedDocument,
)
from haulier.contexts.routes.assignments.contract import OrderError
from haulier.contexts.routes.stops.rules import StopKind
from haulier.kernel.call import Call
from haulier.solvers.routing.plan import UnassignedReason


def serialize_build_summary(call: Call, row: Any) -> BuildSummary:
    """A build without its plan."""
    return BuildSummary(**_build_summary_fields(call, row))


async def serialize_build(call: Call, row: Any) -> RouteBuild:
    """A build with the best plan so far."""
    plan = convert(row.plan, PlanDocument) if row.plan else None
    routes, unassigned = (plan.routes, plan.unassigned) if plan else ((), ())
    drivers = await driver_store.get_driver_rows(call.work, [route.driver_id for route in routes])
    vehicles = await fleet_store.get_vehicle_rows(call.work, [route.vehicle_id for route in routes if route.vehicle_id])
    return RouteBuild(
        **_build_summary_fields(call, row),
        routes=[_planned_route(call, route, drivers, vehicles) for route in routes],
        unassigned=[_unassigned_order(call, each) for each in unassigned],
        refused=[_order_error(call, each) for each in row.refused],
    )


def serialize_build_step(call: Call, row: Any) -> BuildStep:
    """A step of a build."""
    return BuildStep(
        number=row.number,
        at=row.at.astimezone(call.time_zone),
        state=BuildState(row.state),
        score=convert(row.sums, PlanScore) if row.sums else None,
        routes=convert(row.routes or [], list[RouteOutline]),
    )


def _build_summary_fields(call: Call, row: Any) -> dict[str, Any]:
    state = effective_build_state(row.state, row.job_state)
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
        **{name: _to_local(call, getattr(row, name)) for name in times},
        "route_ids": row.route_ids or [],
        "fault": fault and _build_error(call, fault),
    }


def _build_error(call: Call, fault: Mapping[str, Any]) -> BuildError:
    errors = [
        BuildErrorDetail(field=e["field"], code=e["id"].upper(), message=call.translate(e["id"], **e["params"]))
        for e in fault["about"]
    ]
    return BuildError(code=fault["id"].upper(), message=call.translate(fault["id"], **fault["params"]), errors=errors)


def _order_error(call: Call, said: Mapping[str, Any]) -> OrderError:
    return OrderError(
        order_id=said["order_id"], message=call.translate(said["id"], **said["params"]), code=said["id"].upper()
    )


def _planned_route(
    call: Call, route: RouteDocument, drivers: Mapping[int, Any], vehicles: Mapping[int, Any]
) -> PlannedRoute:
    driver, vehicle = drivers.get(route.driver_id), vehicles.get(route.vehicle_id or 0)
    return PlannedRoute(
        driver_id=route.driver_id,
        driver_name=driver.name if driver else None,
        vehicle_id=route.vehicle_id,
        vehicle_name=vehicle.name if vehicle else None,
        depot_id=route.depot_id,
        contractor_id=route.contractor_id,
        route_id=route.route_id,
        start_at=_local_time_of(call, route.start_s),
        end_at=_local_time_of(call, route.end_s),
        distance_m=route.distance_m,
        cost=route.cost,
        pauses=[
            PlannedBreak(start_at=_local_time_of(call, start), end_at=_local_time_of(call, end))
            for start, end in route.pauses
        ],
        stops=_planned_stops(call, route.stops),
    )


def _planned_stops(call: Call, stops: Sequence[StopDocument]) -> list[PlannedStop]:
    return [
        PlannedStop(
            order_id=stop.order_id,
            kind=StopKind(stop.kind),
            lat=stop.lat,
            lng=stop.lng,
            arrival_at=_local_time_of(call, stop.arrival_s),
            start_at=_local_time_of(call, stop.start_s),
            departure_at=_local_time_of(call, stop.departure_s),
            late_s=stop.late_s,
            distance_m=stop.leg_distance_m,
        )
        for stop in stops
    ]


def _unassigned_order(call: Call, unassigned: UnassignedDocument) -> UnassignedOrder:
    return UnassignedOrder(
        order_id=unassigned.order_id,
        reason=unassigned.reason,
        message=call.translate(_reason_message_id(unassigned), **unassigned.facts),
        facts=unassigned.facts,
    )


def _reason_message_id(unassigned: UnassignedDocument) -> str:
    """Capacity has words for each dimension, nobody to take it for each cause; and no place is not the same as no way."""
    if unassigned.reason is UnassignedReason.CAPACITY:
        return f"build_reason_capacity_{unassigned.facts['dimension']}"
    if unassigned.reason is UnassignedReason.UNREACHABLE and unassigned.facts.get("place") == "unknown":
        return "build_reason_no_place"
    if unassigned.reason is UnassignedReason.POOL and "why" in unassigned.facts:  # plans of before did not say
        return f"build_reason_pool_{unassigned.facts['why']}"
    return f"build_reason_{unassigned.reason.value}"


def _local_time_of(call: Call, seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone(call.time_zone)


def _to_local(call: Call, at: datetime | None) -> datetime | None:
    return at and at.astimezone(call.time_zone)
