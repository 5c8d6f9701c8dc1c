"""When a route would be driven: travel times, the solver's timetable and check, and its findings in the caller's language."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from haulier.contexts.dispatch.board.contract import BoardRouteTimes, RouteFinding, StopSchedule
from haulier.contexts.dispatch.board.queries.route_inputs import (
    RouteCase,
    RouteInputs,
    build_route_case,
    list_untimed_findings,
)
from haulier.contexts.dispatch.board.rules.feasibility import (
    FeasibilityResult,
    FeasibilityRule,
    FeasibilityViolation,
    check_feasibility,
)
from haulier.contexts.planning.builds.rules.routing_problem import list_places
from haulier.contexts.planning.public import TravelTimes, load_travel_matrix
from haulier.contexts.routes.public import RouteRow, StopRow
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.kernel.call import Call
from haulier.solvers.routing.plan import TimedRoute

DRIVER_RULES = frozenset({FeasibilityRule.SKILL, FeasibilityRule.HOURS, FeasibilityRule.BREAK})
"""Rules that only a route with a driver can break."""


async def time_route(call: Call, inputs: RouteInputs, route_id: int, sequence: Sequence[StopRow]) -> BoardRouteTimes:
    """How a route would be driven in this order. Raises `TravelFailed`."""
    case = build_route_case(inputs, route_id, sequence)
    travel = await load_travel_matrix(
        call.adapter(TravelTimes), list_places(case.planning_input), case.planning_input.worked
    )
    result = await asyncio.to_thread(check_feasibility, case.planning_input, case.tasks, travel)
    return _serialize_route_schedule(call, case, result, under_way=is_under_way(inputs.rows[route_id]))


def is_under_way(route: RouteRow) -> bool:
    """Return True for a started route: its times are observed, never forecast."""
    return RouteStatus(route.status) is RouteStatus.STARTED


def _serialize_route_schedule(
    call: Call, case: RouteCase, result: FeasibilityResult, *, under_way: bool
) -> BoardRouteTimes:
    findings = [
        *list_untimed_findings(case),
        *(
            (violation.rule, last_stop_of_order(case, violation.order_id))
            for violation in list_violations(case, result)
        ),
    ]
    stops = _serialize_stop_schedules(call, case, result.route, under_way=under_way) if result.route else []
    return BoardRouteTimes(
        route_id=case.route_id,
        feasible=not findings,
        start_at=to_local_time(call, result.route.start_s) if result.route else None,
        end_at=to_local_time(call, result.route.end_s) if result.route else None,
        distance_m=result.route.distance_m if result.route else 0,
        late_s=sum(stop.late_s for stop in stops),
        load_percent=result.load_percent,
        stops=stops,
        findings=[serialize_finding(call, rule, stop_id) for rule, stop_id in findings],
    )


def list_violations(case: RouteCase, result: FeasibilityResult) -> list[FeasibilityViolation]:
    """What a route breaks; rules about drivers count only where it has one."""
    return [violation for violation in result.violations if case.has_driver or violation.rule not in DRIVER_RULES]


def serialize_finding(call: Call, rule: FeasibilityRule, stop_id: int | None) -> RouteFinding:
    """A problem of a route in the caller's language."""
    return RouteFinding(rule=rule, stop_id=stop_id, message=call.translate(f"board_{rule.value}"))


def _serialize_stop_schedules(call: Call, case: RouteCase, route: TimedRoute, *, under_way: bool) -> list[StopSchedule]:
    return [
        StopSchedule(
            stop_id=stop_id,
            arrival_at=None if under_way else to_local_time(call, stop.arrival_s),
            start_at=to_local_time(call, stop.start_s),
            departure_at=to_local_time(call, stop.departure_s),
            late_s=stop.late_s,
        )
        for stop_id, stop in zip(case.stop_ids.values(), route.stops, strict=True)
    ]


def last_stop_of_order(case: RouteCase, order_id: int | None) -> int | None:
    """The last stop of an order; None for the whole route."""
    return next((case.stop_ids[task] for task in reversed(case.tasks) if task.job == order_id), None)


def to_local_time(call: Call, seconds: int) -> datetime:
    """A moment of the solver in the business's time zone."""
    return call.local_time(datetime.fromtimestamp(seconds, UTC))
