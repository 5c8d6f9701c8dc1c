"""Orders of stops from elsewhere, made to keep every rule.

Other engines cannot say everything that a problem says. Their routes are taken as they are where they are right; a route that
is not is built again from its jobs, in their order, and what finds no place any more is offered to all vehicles.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from haulier.solvers.routing.engines.insertion import first
from haulier.solvers.routing.engines.state import State, begin, settle
from haulier.solvers.routing.engines.tour import Tour
from haulier.solvers.routing.ground import Ground
from haulier.solvers.routing.plan import Plan, Route
from haulier.solvers.routing.problem import Problem, Task
from haulier.solvers.routing.reasons import Reasons
from haulier.solvers.routing.timetable import sequences_of


def adopted(ground: Ground, sequences: Sequence[Sequence[int]]) -> State:
    """The state with these nodes for each vehicle, repaired and completed. Locked stops are taken to be in place."""
    state = begin(ground, sequences)
    tours = [tour if tour.sound or not sequences[tour.number] else _rebuilt(ground, tour) for tour in state.tours]
    on_tours = {node >> 1 for tour in tours for node in tour.nodes}
    absent = [job for job in range(len(ground.jobs)) if job not in on_tours]
    return first(State(ground, tours, absent))


def repaired(problem: Problem, plan: Plan) -> Plan:
    """A plan whose orders of stops are kept where they are right; only the vehicle, job and kind of its stops are read.

    Raises `KeyError` for a job that the problem does not have. What people locked may be missing: it is put in front.
    """
    ground = Ground(problem)
    settle(ground)
    sequences = sequences_of(ground, plan)
    for crew, nodes in zip(ground.crews, sequences, strict=True):
        locked = set(crew.locked)
        nodes[:] = [*crew.locked, *(node for node in nodes if node not in locked)] if nodes else []
    return adopted(ground, sequences).plan(Reasons(ground))


def tidied(problem: Problem, plan: Plan) -> Plan:
    """What of a plan is about this problem: vehicles and tasks that it has, each job on one route, where it is locked if it is.
    Its times say nothing."""
    crews = {vehicle.id for vehicle in problem.vehicles}
    places = {Task(job.id, kind): visit.place for job in problem.jobs for kind, visit in job.visits()}
    owner = {task.job: vehicle.id for vehicle in problem.vehicles for task in vehicle.locked}
    routes: list[Route] = []
    for route in plan.routes:
        if route.vehicle in crews:
            known = {Task(stop.job, stop.kind): stop for stop in route.stops}
            mine = [
                task for task in known if task in places and owner.setdefault(task.job, route.vehicle) == route.vehicle
            ]
            stops = tuple(replace(known[task], place=places[task]) for task in mine)
            routes.append(replace(route, stops=stops, pauses=()))
    return Plan(routes=tuple(route for route in routes if route.stops))


def _rebuilt(ground: Ground, wrong: Tour) -> Tour:
    """What people fixed on the tour, and then each of its jobs where it costs least, as long as there is room."""
    (fixed,) = (tour for tour in begin(ground).tours if tour.number == wrong.number)
    tour, held = fixed, {node >> 1 for node in fixed.nodes}
    for job in dict.fromkeys(node >> 1 for node in wrong.nodes):
        spot = None if job in held else tour.certain_spot(job)
        if spot:
            tour = tour.with_job(job, spot)
    return tour
