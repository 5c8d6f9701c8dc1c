"""Small problems on a straight road, a minute per place, and random problems."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.engines.insertion import InsertionEngine
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import (
    JobTask,
    RoutingBreak,
    RoutingDepot,
    RoutingJob,
    RoutingObjective,
    RoutingProblem,
    RoutingVehicle,
    TaskKind,
    TimeWindow,
    VisitRequest,
)
from haulier.solvers.routing.travel import UNREACHABLE, TravelMatrices

MINUTE, HOUR, KM = 60, 3600, 1000
DAY = TimeWindow(8 * HOUR, 18 * HOUR)


def make_road(places: int = 12) -> TravelMatrices:
    """Places in a row, each a minute and a kilometre from the next."""
    steps = np.abs(np.subtract.outer(np.arange(places), np.arange(places)))
    return TravelMatrices(steps * MINUTE, steps * KM)


def make_vehicle(id: int = 1, **words: Any) -> RoutingVehicle:
    """A vehicle that starts and ends at place 0 and works from 8 to 18."""
    return RoutingVehicle(
        **{"id": id, "start": 0, "end": 0, "shift": DAY, "capacity": (10,), "cost_per_km": 100, **words}
    )


def make_visit(place: int = 1, *windows: tuple[float, float], **words: Any) -> VisitRequest:
    """A stop of no length; windows in hours."""
    spans = tuple(TimeWindow(int(opens * HOUR), int(closes * HOUR)) for opens, closes in windows)
    return VisitRequest(place=place, windows=spans, **words)


def make_delivery(id: int = 1, place: int = 1, *windows: tuple[float, float], **words: Any) -> RoutingJob:
    """One piece to bring to a place."""
    return RoutingJob(**{"id": id, "delivery": make_visit(place, *windows), "demand": (1,), **words})


def make_collection(id: int = 1, place: int = 1, **words: Any) -> RoutingJob:
    """One piece to collect at a place."""
    return RoutingJob(**{"id": id, "pickup": make_visit(place), "demand": (1,), **words})


def make_pair(id: int = 1, a: int = 1, b: int = 2, **words: Any) -> RoutingJob:
    """One piece from a place to another."""
    return RoutingJob(**{"id": id, "pickup": make_visit(a), "delivery": make_visit(b), "demand": (1,), **words})


def make_problem(
    *jobs: RoutingJob, vehicles: tuple[RoutingVehicle, ...] = (make_vehicle(),), **words: Any
) -> RoutingProblem:
    """A problem on the road, one load dimension."""
    return RoutingProblem(
        **{"travel": make_road(), "vehicles": vehicles, "jobs": jobs, "dimensions": ("pieces",), **words}
    )


def solve_by_insertion(problem: RoutingProblem, iterations: int = 30, seed: int = 0) -> RoutingPlan:
    """Return the plan of the insertion engine."""
    return InsertionEngine().solve(problem, seed=seed, budget=SearchBudget(iterations=iterations))


def stop_order(plan: RoutingPlan, vehicle: int = 1) -> list[tuple[int, str]]:
    """The jobs of a vehicle, in order, with what is done."""
    route = next((route for route in plan.routes if route.vehicle == vehicle), None)
    return [(stop.job, stop.kind.value) for stop in route.stops] if route else []


def unassigned_reason(plan: RoutingPlan, job: int = 1) -> str | None:
    """Why a job is on no route."""
    return next((str(each.reason) for each in plan.unassigned if each.job == job), None)


moments = st.integers(6 * HOUR, 20 * HOUR)


@st.composite
def windows(draw: st.DrawFn) -> tuple[TimeWindow, ...]:
    """None, one or two windows, in order."""
    count = 2 * draw(st.integers(0, 2))
    edges = sorted(draw(st.lists(moments, min_size=count, max_size=count)))
    return tuple(TimeWindow(*edges[k : k + 2]) for k in range(0, len(edges), 2))


@st.composite
def visits(draw: st.DrawFn, places: int) -> VisitRequest:
    """A stop anywhere."""
    place, service, grace = draw(st.tuples(st.integers(0, places - 1), st.sampled_from((0, 300, 1800)), st.booleans()))
    return VisitRequest(place=place, service_s=service, windows=draw(windows()), grace_s=1200 * grace)


@st.composite
def jobs(draw: st.DrawFn, id: int, places: int) -> RoutingJob:
    """A delivery, a collection or a pair, with any wishes."""
    kinds = draw(st.sampled_from(("D", "P", "PD")))
    return RoutingJob(
        id=id,
        pickup=draw(visits(places)) if "P" in kinds else None,
        delivery=draw(visits(places)) if "D" in kinds else None,
        demand=draw(st.tuples(st.integers(0, 5), st.integers(0, 3))),
        skills=draw(st.frozensets(st.sampled_from(("cold", "lift")), max_size=1)),
        vehicles=draw(st.none() | st.frozensets(st.integers(1, 3), min_size=1)),
        priority=draw(st.integers(0, 2)),
        prize=draw(st.none() | st.integers(0, 3000)),
    )


@st.composite
def breaks(draw: st.DrawFn) -> tuple[RoutingBreak, ...]:
    """Up to two breaks."""
    chosen = draw(st.lists(st.sampled_from((10, 11, 12, 14)), unique=True, max_size=2))
    return tuple(RoutingBreak(window=TimeWindow(h * HOUR, (h + 1) * HOUR), duration_s=1800) for h in sorted(chosen))


@st.composite
def vehicles(draw: st.DrawFn, id: int, places: int) -> RoutingVehicle:
    """A vehicle with any limits."""
    begin = draw(st.integers(6, 11))
    return RoutingVehicle(
        id=id,
        start=draw(st.integers(0, places - 1)),
        end=draw(st.none() | st.integers(0, places - 1)),
        shift=TimeWindow(begin * HOUR, (begin + draw(st.integers(2, 9))) * HOUR),
        capacity=draw(st.tuples(st.integers(3, 12), st.integers(2, 6))),
        aboard=draw(st.sampled_from(((), (1, 0)))),
        skills=draw(st.frozensets(st.sampled_from(("cold", "lift")))),
        breaks=draw(breaks()),
        profile=draw(st.integers(0, 1)),
        speed_percent=draw(st.sampled_from((70, 100, 130))),
        fixed_cost=draw(st.integers(0, 500)),
        cost_per_km=draw(st.integers(0, 100)),
        cost_per_hour=draw(st.sampled_from((0, 2000))),
        max_stops=draw(st.none() | st.integers(1, 8)),
        max_time_s=draw(st.none() | st.integers(1 * HOUR, 8 * HOUR)),
        max_distance_m=draw(st.none() | st.integers(10 * KM, 200 * KM)),
    )


@st.composite
def problems(draw: st.DrawFn) -> RoutingProblem:
    """A small random problem with every constraint, asymmetric roads and closures."""
    size = draw(st.integers(2, 7))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    minutes = random.integers(1, 70, (size, size))
    np.fill_diagonal(minutes, 0)
    ridden = random.integers(1, 90, (size, size))
    np.fill_diagonal(ridden, 0)
    closed = (random.random((size, size)) < 0.03) & (minutes > 0)
    asked = [draw(jobs(id, size)) for id in range(1, draw(st.integers(1, 9)) + 1)]
    fleet = [draw(vehicles(id, size)) for id in range(1, draw(st.integers(1, 3)) + 1)]
    depot = RoutingDepot(place=0, open=TimeWindow(7 * HOUR, 19 * HOUR), loading_s=600)
    return RoutingProblem(
        travel=TravelMatrices(np.where(closed, UNREACHABLE, minutes * MINUTE), minutes * KM),
        other_travel=(TravelMatrices(ridden * MINUTE, ridden * KM // 2),),
        vehicles=(_locked(draw, fleet[0], asked), *fleet[1:]),
        jobs=tuple(asked),
        depots=(depot,) if draw(st.booleans()) else (),
        dimensions=("weight", "volume"),
        objective=draw(
            st.sampled_from(
                (
                    RoutingObjective(),
                    RoutingObjective(balance_s=1, lateness_s=0.2),
                    RoutingObjective(cost=0, distance_m=1),
                )
            )
        ),
    )


def _locked(draw: st.DrawFn, vehicle: RoutingVehicle, asked: list[RoutingJob]) -> RoutingVehicle:
    """Return the vehicle with up to two locked first stops."""
    firsts = [JobTask(job.id, TaskKind.PICKUP if job.pickup else TaskKind.DELIVERY) for job in asked]
    words = {name: getattr(vehicle, name) for name in RoutingVehicle.__struct_fields__}
    return RoutingVehicle(
        **{**words, "locked": tuple(draw(st.lists(st.sampled_from(firsts), unique=True, max_size=2)))}
    )
