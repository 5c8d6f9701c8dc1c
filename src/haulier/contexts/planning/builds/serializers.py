"""Builds as answers show them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import convert

from haulier.contexts.fleet.public import DriverRow, VehicleRow, get_driver_rows, get_vehicle_rows
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
from haulier.contexts.planning.builds.rules.order_windows import WINDOW_FACTS
from haulier.contexts.planning.builds.rules.plan_document import (
    PlanDocument,
    RouteDocument,
    StopDocument,
    UnassignedDocument,
)
from haulier.contexts.planning.builds.store import BuildHeadRow, BuildRow, BuildStepRow
from haulier.contexts.routes.assignments.contract import OrderError
from haulier.contexts.routes.stops.rules import StopKind
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.solvers.routing.plan import UnassignedReason


def serialize_build_summary(call: Call, row: BuildHeadRow) -> BuildSummary:
    """A build without its plan."""
    return record(BuildSummary, row, **_build_summary_fields(call, row))


async def serialize_build(call: Call, row: BuildRow) -> RouteBuild:
    """A build with the best plan so far."""
    plan = convert(row.plan, PlanDocument) if row.plan else None
    routes, unassigned = (plan.routes, plan.unassigned) if plan else ((), ())
    drivers = await get_driver_rows(call, [route.driver_id for route in routes])
    vehicles = await get_vehicle_rows(call, [route.vehicle_id for route in routes if route.vehicle_id])
    return record(
        RouteBuild,
        row,
        **_build_summary_fields(call, row),
        routes=[_planned_route(call, route, drivers, vehicles) for route in routes],
        unassigned=[_unassigned_order(call, document) for document in unassigned],
        refused=[_order_error(call, refused) for refused in row.refused],
    )


def serialize_build_step(call: Call, row: BuildStepRow) -> BuildStep:
    """A step of a build."""
    return record(
        BuildStep,
        row,
        at=call.local_time(row.at),
        state=BuildState(row.state),
        score=convert(row.sums, PlanScore) if row.sums else None,
        routes=convert(row.routes or [], list[RouteOutline]),
    )


def _build_summary_fields(call: Call, row: BuildHeadRow) -> dict[str, Any]:
    state = effective_build_state(row.state, row.job_state)
    times = ("created_at", "started_at", "updated_at", "finished_at", "committed_at")
    fault = {"id": "build_interrupted", "params": {}, "about": []} if state != row.state else row.fault
    return {
        "state": state,
        "score": convert(row.sums, PlanScore) if row.sums else None,
        **{name: call.local_time(getattr(row, name)) for name in times},
        "route_ids": row.route_ids or [],
        "fault": fault and _build_error(call, fault),
    }


def _build_error(call: Call, fault: Mapping[str, Any]) -> BuildError:
    errors = [
        BuildErrorDetail(
            field=detail["field"],
            code=detail["id"].upper(),
            message=call.translate(detail["id"], **detail["params"]),
        )
        for detail in fault["about"]
    ]
    return BuildError(code=fault["id"].upper(), message=call.translate(fault["id"], **fault["params"]), errors=errors)


def _order_error(call: Call, refused: Mapping[str, Any]) -> OrderError:
    return OrderError(
        order_id=refused["order_id"],
        message=call.translate(refused["id"], **refused["params"]),
        code=refused["id"].upper(),
    )


def _planned_route(
    call: Call, route: RouteDocument, drivers: Mapping[int, DriverRow], vehicles: Mapping[int, VehicleRow]
) -> PlannedRoute:
    driver, vehicle = drivers.get(route.driver_id), vehicles.get(route.vehicle_id or 0)
    return record(
        PlannedRoute,
        route,
        driver_name=driver.name if driver else None,
        vehicle_name=vehicle.name if vehicle else None,
        start_at=_local_time_of(call, route.start_s),
        end_at=_local_time_of(call, route.end_s),
        pauses=[
            PlannedBreak(start_at=_local_time_of(call, start), end_at=_local_time_of(call, end))
            for start, end in route.pauses
        ],
        stops=_planned_stops(call, route.stops),
    )


def _planned_stops(call: Call, stops: Sequence[StopDocument]) -> list[PlannedStop]:
    return [
        record(
            PlannedStop,
            stop,
            kind=StopKind(stop.kind),
            arrival_at=_local_time_of(call, stop.arrival_s),
            start_at=_local_time_of(call, stop.start_s),
            departure_at=_local_time_of(call, stop.departure_s),
            distance_m=stop.leg_distance_m,
        )
        for stop in stops
    ]


def _unassigned_order(call: Call, unassigned: UnassignedDocument) -> UnassignedOrder:
    message = call.translate(_reason_message_id(unassigned), **unassigned.facts)
    facts = {
        name: _local_time_of(call, int(fact)).isoformat() if name in WINDOW_FACTS else fact
        for name, fact in unassigned.facts.items()
    }
    return record(UnassignedOrder, unassigned, message=message, facts=facts)


def _reason_message_id(unassigned: UnassignedDocument) -> str:
    """The message of a reason: capacity has one for each dimension, `pool` one for each cause, a missing place its own."""
    if unassigned.reason is UnassignedReason.CAPACITY:
        return f"build_reason_capacity_{unassigned.facts['dimension']}"
    if unassigned.reason is UnassignedReason.UNREACHABLE and unassigned.facts.get("place") == "unknown":
        return "build_reason_no_place"
    if unassigned.reason is UnassignedReason.POOL and "why" in unassigned.facts:  # older stored plans have no cause
        return f"build_reason_pool_{unassigned.facts['why']}"
    return f"build_reason_{unassigned.reason.value}"


def _local_time_of(call: Call, seconds: int) -> datetime:
    return call.local_time(datetime.fromtimestamp(seconds, UTC))
