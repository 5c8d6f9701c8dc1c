"""Orders of stops from elsewhere, made to keep every rule.

Other engines cannot say everything that a problem says. Their routes are taken as they are where they are right; a route that
is not is built again from its jobs, in their order, and what finds no place any more is offered to all vehicles.
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
    """The state with these nodes for each vehicle, repaired and completed. Locked stops are taken to be in place."""
    state = initial_state(compiled, sequences)
    tours = [
        tour if tour.is_valid or not sequences[tour.number] else _rebuilt_tour(compiled, tour) for tour in state.tours
    ]
    on_tours = {node >> 1 for tour in tours for node in tour.nodes}
    absent_jobs = [job for job in range(len(compiled.jobs)) if job not in on_tours]
    return insert_absent_jobs(SearchState(compiled, tours, absent_jobs))


def repair_plan(problem: RoutingProblem, plan: RoutingPlan) -> RoutingPlan:
    """A plan whose orders of stops are kept where they are right; only the vehicle, job and kind of its stops are read.

    Raises `KeyError` for a job that the problem does not have. What people locked may be missing: it is put in front.
    """
    compiled = CompiledProblem(problem)
    set_locked_grace(compiled)
    sequences = node_sequences(compiled, plan)
    for crew, nodes in zip(compiled.crews, sequences, strict=True):
        locked = set(crew.locked)
        nodes[:] = [*crew.locked, *(node for node in nodes if node not in locked)] if nodes else []
    return repair_sequences(compiled, sequences).plan(ReasonFinder(compiled))


def restrict_plan(problem: RoutingProblem, plan: RoutingPlan) -> RoutingPlan:
    """What of a plan is about this problem: vehicles and tasks that it has, each job on one route, where it is locked if it is.
    Its times say nothing."""
    crews = {vehicle.id for vehicle in problem.vehicles}
    places = {JobTask(job.id, kind): visit.place for job in problem.jobs for kind, visit in job.visits()}
    owner = {task.job: vehicle.id for vehicle in problem.vehicles for task in vehicle.locked}
    routes: list[TimedRoute] = []
    for route in plan.routes:
        if route.vehicle in crews:
            known = {JobTask(stop.job, stop.kind): stop for stop in route.stops}
            mine = [
                task for task in known if task in places and owner.setdefault(task.job, route.vehicle) == route.vehicle
            ]
            stops = tuple(replace(known[task], place=places[task]) for task in mine)
            routes.append(replace(route, stops=stops, pauses=()))
    return RoutingPlan(routes=tuple(route for route in routes if route.stops))


def _rebuilt_tour(compiled: CompiledProblem, wrong: Tour) -> Tour:
    """What people fixed on the tour, and then each of its jobs where it costs least, as long as there is room."""
    (fixed,) = (tour for tour in initial_state(compiled).tours if tour.number == wrong.number)
    tour, held = fixed, {node >> 1 for node in fixed.nodes}
    for job in dict.fromkeys(node >> 1 for node in wrong.nodes):
        spot = None if job in held else tour.cheapest_feasible_spot(job)
        if spot:
            tour = tour.with_job(job, spot)
    return tour
