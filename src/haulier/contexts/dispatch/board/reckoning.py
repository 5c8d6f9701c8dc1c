"""Routes reckoned through: travel times, the solver's clock and check, and what they say in the caller's language."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from haulier.contexts.dispatch.board.contract import RouteFinding, RouteReckoned, StopReckoned
from haulier.contexts.dispatch.board.gathering import Case, Known, besides, case_of
from haulier.contexts.dispatch.board.rules.judging import Judged, PlanRule, judged
from haulier.contexts.dispatch.planning.rules.modelling import places
from haulier.contexts.dispatch.ports import Travels, between
from haulier.kernel.call import Call
from haulier.solvers.routing.plan import Route

MANNED = frozenset({PlanRule.SKILL, PlanRule.HOURS, PlanRule.BREAK})
"""What only somebody who drives can break."""


async def reckoned(call: Call, known: Known, route_id: int, sequence: Sequence[Any]) -> RouteReckoned:
    """How a route would be driven in this order. Raises `TravelFailed`."""
    case = case_of(known, route_id, sequence)
    travel = await between(call.adapter(Travels), places(case.question), case.question.worked)
    return _record(call, case, await asyncio.to_thread(judged, case.question, case.tasks, travel))


def _record(call: Call, case: Case, found: Judged) -> RouteReckoned:
    faults = [each for each in found.faults if case.manned or each.rule not in MANNED]
    broken = [*besides(case), *((each.rule, _stop_of(case, each.order_id)) for each in faults)]
    stops = _stops(call, case, found.route) if found.route else []
    return RouteReckoned(
        route_id=case.route_id,
        feasible=not broken,
        start_at=_at(call, found.route.start_s) if found.route else None,
        end_at=_at(call, found.route.end_s) if found.route else None,
        distance_m=found.route.distance_m if found.route else 0,
        late_s=sum(stop.late_s for stop in stops),
        load_percent=found.load_percent,
        stops=stops,
        findings=[
            RouteFinding(rule=rule, stop_id=stop_id, message=call.say(f"board_{rule.value}"))
            for rule, stop_id in broken
        ],
    )


def _stops(call: Call, case: Case, route: Route) -> list[StopReckoned]:
    return [
        StopReckoned(
            stop_id=stop_id,
            arrival_at=_at(call, stop.arrival_s),
            start_at=_at(call, stop.start_s),
            departure_at=_at(call, stop.departure_s),
            late_s=stop.late_s,
        )
        for stop_id, stop in zip(case.stop_ids.values(), route.stops, strict=True)
    ]


def _stop_of(case: Case, order_id: int | None) -> int | None:
    """The stop of an order that is meant: its last one."""
    return next((case.stop_ids[task] for task in reversed(case.tasks) if task.job == order_id), None)


def _at(call: Call, seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone(call.time_zone)
