"""Builds as answers show them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from babel.dates import format_datetime, format_time
from babel.units import format_unit
from msgspec import convert

from haulier.contexts.fleet.public import DriverRow, VehicleRow, get_driver_rows, get_vehicle_rows
from haulier.contexts.planning.builds.contract import (
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
from haulier.contexts.planning.builds.rules.plan_document import (
    TIME_FACTS,
    FactValues,
    PlanDocument,
    RouteDocument,
    StopDocument,
    UnassignedDocument,
    choose_reason_message,
)
from haulier.contexts.planning.builds.rules.planning_input import BuildState, effective_build_state
from haulier.contexts.planning.builds.store import BuildHeadRow, BuildRow, BuildStepRow
from haulier.contexts.routes.assignments.contract import OrderError
from haulier.contexts.routes.stops.rules import StopKind
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.solvers.routing.travel import TravelMode


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
        unassigned=[_unassigned_order(call, row.day, document) for document in unassigned],
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
        travel_mode=TravelMode(vehicle.travel_mode) if vehicle else TravelMode.VAN,
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


def _unassigned_order(call: Call, day: date, unassigned: UnassignedDocument) -> UnassignedOrder:
    facts = unassigned.facts
    message_id = choose_reason_message(unassigned.reason, facts)
    shown = {
        name: _local_time_of(call, int(fact)).isoformat() if name in TIME_FACTS else fact
        for name, fact in facts.items()
    }
    message = call.translate(message_id, **_reason_words(call, day, facts))
    return record(UnassignedOrder, unassigned, message=message, facts=shown)


def _reason_words(call: Call, day: date, facts: FactValues) -> dict[str, Any]:
    """Return the facts as a message shows them.

    Local times, a window as one span, kilometres and hours.
    """
    words: dict[str, Any] = dict(facts)
    locale = call.language.replace("-", "_")
    times = {name: _clock(call, day, int(fact), locale) for name, fact in facts.items() if name in TIME_FACTS}
    span = "–".join(times.get(name, "…") for name in ("window_start", "window_end"))
    for name, fact in facts.items():
        if name.endswith("_m") or (facts.get("limit") == "max_distance_m" and name in ("needed", "available")):
            words[name] = _distance(int(fact), locale)
        elif name.endswith("_s") or (facts.get("limit") == "max_time_s" and name in ("needed", "available")):
            words[name] = _duration(int(fact), locale)
    return {**words, **times, "window": span}


def _clock(call: Call, day: date, seconds: int, locale: str) -> str:
    """The time of day, with its date where that is not the planned day."""
    moment = _local_time_of(call, seconds)
    if moment.date() == day:
        return format_time(moment.timetz(), "short", locale=locale)
    return format_datetime(moment, "short", locale=locale)


def _distance(metres: int, locale: str) -> str:
    kilometres = metres / 1000
    shown = round(kilometres) if kilometres >= 10 else round(kilometres, 1)
    return format_unit(shown, "length-kilometer", "short", locale=locale)


def _duration(seconds: int, locale: str) -> str:
    hours, minutes = divmod(-(-seconds // 60), 60)
    parts = [(hours, "duration-hour"), (minutes if hours < 24 else 0, "duration-minute")]
    words = [format_unit(count, unit, "short", locale=locale) for count, unit in parts if count]
    return " ".join(words) or format_unit(0, "duration-minute", "short", locale=locale)


def _local_time_of(call: Call, seconds: int) -> datetime:
    return call.local_time(datetime.fromtimestamp(seconds, UTC))
