"""Repair of stop sequences from PyVRP or an earlier plan.

A valid route is kept. An invalid one is rebuilt from its jobs in their order, and jobs that no longer fit are offered
to all vehicles. PyVRP cannot do this because it lacks constraints of the model (see `pyvrp_model`), and a start plan
may be out of date.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engines.insertion import insert_absent_jobs
from haulier.solvers.routing.engines.state import SearchState, initial_state, set_locked_grace
from haulier.solvers.routing.engines.tour import Tour
from haulier.solvers.routing.plan import RoutingPlan, TimedRoute
from haulier.solvers.routing.problem import JobTask, RoutingProblem
from haulier.solvers.routing.timetable import node_sequences
from haulier.solvers.routing.unassigned_reasons import ReasonFinder


def repair_sequences(compiled: CompiledProblem, sequences: Sequence[Sequence[int]]) -> SearchState:
    """Return the repaired and completed state of node sequences by vehicle.

    Locked stops must already be in front.
    """
    state = initial_state(compiled, sequences)
    tours = [
        tour if tour.is_valid or not sequences[tour.number] else _rebuilt_tour(compiled, tour) for tour in state.tours
    ]
    on_tours = {node >> 1 for tour in tours for node in tour.nodes}
    absent_jobs = [job for job in range(len(compiled.jobs)) if job not in on_tours]
    return insert_absent_jobs(SearchState(compiled, tours, absent_jobs))


def repair_plan(problem: RoutingProblem, plan: RoutingPlan) -> RoutingPlan:
    """Return the plan with valid sequences kept and invalid ones repaired.

    Only vehicle, job and kind of its stops are read. Missing locked stops are added in front. Raises `KeyError` for a
    job that the problem does not contain.
    """
    compiled = CompiledProblem(problem)
    set_locked_grace(compiled)
    sequences = node_sequences(compiled, plan)
    for crew, nodes in zip(compiled.crews, sequences, strict=True):
        locked = set(crew.locked)
        nodes[:] = [*crew.locked, *(node for node in nodes if node not in locked)] if nodes else []
    return repair_sequences(compiled, sequences).plan(ReasonFinder(compiled))


def restrict_plan(problem: RoutingProblem, plan: RoutingPlan) -> RoutingPlan:
    """Return the part of a plan whose vehicles and tasks are in the problem.

    Each job is on one route: the one that locks it, if any. The times of the result are not valid.
    """
    crews = {vehicle.id for vehicle in problem.vehicles}
    places = {JobTask(job.id, kind): visit.place for job in problem.jobs for kind, visit in job.visits()}
    owner = {task.job: vehicle.id for vehicle in problem.vehicles for task in vehicle.locked}
    routes: list[TimedRoute] = []
    for route in plan.routes:
        if route.vehicle in crews:
            by_task = {JobTask(stop.job, stop.kind): stop for stop in route.stops}
            tasks = [
                task
                for task in by_task
                if task in places and owner.setdefault(task.job, route.vehicle) == route.vehicle
            ]
            stops = tuple(replace(by_task[task], place=places[task]) for task in tasks)
            routes.append(replace(route, stops=stops, pauses=()))
    return RoutingPlan(routes=tuple(route for route in routes if route.stops))


def _rebuilt_tour(compiled: CompiledProblem, invalid: Tour) -> Tour:
    """Return the tour with its locked stops, plus each job at its cheapest valid spot."""
    (fixed,) = (tour for tour in initial_state(compiled).tours if tour.number == invalid.number)
    tour, fixed_jobs = fixed, {node >> 1 for node in fixed.nodes}
    for job in dict.fromkeys(node >> 1 for node in invalid.nodes):
        spot = None if job in fixed_jobs else tour.cheapest_feasible_spot(job)
        if spot:
            tour = tour.with_job(job, spot)
    return tour
