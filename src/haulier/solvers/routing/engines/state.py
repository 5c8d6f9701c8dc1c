"""Search state: a tour for each vehicle, and absent jobs.

Plans are repaired, completed and compared here under every constraint of the model, including those that PyVRP lacks
(`pyvrp_model`); both engines end in this state.
"""

from collections.abc import Sequence

from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engines.tour import InsertionSpot, Tour
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.score import SolutionScore, duration_spread_s
from haulier.solvers.routing.timetable import timed_routes
from haulier.solvers.routing.timing import route_timing
from haulier.solvers.routing.unassigned_reasons import ReasonFinder


class SearchState:
    """A plan under construction: tours, absent jobs and vehicles of other jobs."""

    def __init__(self, compiled: CompiledProblem, tours: list[Tour], absent_jobs: list[int]) -> None:
        self.compiled, self.tours, self.absent_jobs = compiled, tours, absent_jobs
        self.vehicle_of = {node >> 1: tour.number for tour in tours for node in tour.nodes}

    def copy(self) -> "SearchState":
        """Return a mutable copy. Tours are immutable and shared."""
        twin = SearchState.__new__(SearchState)
        twin.compiled, twin.tours, twin.absent_jobs, twin.vehicle_of = (
            self.compiled,
            self.tours[:],
            self.absent_jobs[:],
            self.vehicle_of.copy(),
        )
        return twin

    def insert_job(self, job: int, number: int, spot: InsertionSpot) -> None:
        """Add a job to the tour of a vehicle."""
        self.tours[number] = self.tours[number].with_job(job, spot)
        self.vehicle_of[job] = number

    def remove_jobs(self, number: int, jobs: set[int]) -> None:
        """Remove jobs from the tour of a vehicle; they become absent."""
        self.tours[number] = self.tours[number].without(jobs)
        for job in sorted(jobs):
            del self.vehicle_of[job]
            self.absent_jobs.append(job)

    def score(self) -> SolutionScore:
        """Return the score, equal to that of the plan of this state."""
        jobs, objective = self.compiled.jobs, self.compiled.problem.objective
        absent = [jobs[job] for job in self.absent_jobs]
        price = sum(tour.price for tour in self.tours) + sum(job.prize for job in absent if job.prize is not None)
        if objective.balance_s:
            timings = [tour.timing for tour in self.tours if tour.nodes]
            price += objective.balance_s * duration_spread_s([timing.duration_s for timing in timings if timing])
        return SolutionScore(sum(1 + job.priority for job in absent if job.prize is None), round(price, 6))

    def plan(self, reasons: ReasonFinder) -> RoutingPlan:
        """Return the plan, with times and reasons."""
        routes = timed_routes(self.compiled, [tour.nodes for tour in self.tours])
        return RoutingPlan(routes=routes, unassigned=reasons.explain(sorted(self.absent_jobs), self.fits))

    def fits(self, job: int) -> bool:
        """Return True if a job could be inserted into one of the tours."""
        return any(tour.cheapest_feasible_spot(job) for tour in self.tours)


def initial_state(compiled: CompiledProblem, sequences: Sequence[Sequence[int]] | None = None) -> SearchState:
    """Return the state of node sequences; a vehicle without one has its locked stops."""
    node_lists = sequences or [()] * len(compiled.crews)
    tours = [
        Tour(compiled, number, tuple(nodes or _fixed_sequence(compiled, number)))
        for number, nodes in enumerate(node_lists)
    ]
    state = SearchState(compiled, tours, [])
    state.absent_jobs = [job for job in range(len(compiled.jobs)) if job not in state.vehicle_of]
    return state


def set_locked_grace(compiled: CompiledProblem) -> None:
    """Set the grace of locked stops to their lateness on a route of locked stops.

    Inserted stops therefore cannot make them later.
    """
    for number, crew in enumerate(compiled.crews):
        nodes = _fixed_sequence(compiled, number)
        times = route_timing(compiled, crew, nodes) if nodes else None
        for node, start in zip(nodes, times.starts_s if times else (), strict=False):
            visit = compiled.jobs[node >> 1].delivery if node & 1 else compiled.jobs[node >> 1].pickup
            compiled.grace[node] = max(visit.grace_s if visit else 0, compiled.late_s(node, start))


def _fixed_sequence(compiled: CompiledProblem, number: int) -> list[int]:
    """Return locked stops, then deliveries of their pickups at the shortest detour."""
    crew = compiled.crews[number]
    nodes = list(crew.locked)
    for node in crew.locked:
        delivery = node | 1
        if node & 1 or delivery not in compiled.bound or delivery in nodes:
            continue
        places = range(max(len(crew.locked), nodes.index(node) + 1), len(nodes) + 1)
        metres = [Tour(compiled, number, (*nodes[:place], delivery, *nodes[place:])).metres for place in places]
        nodes.insert(places[metres.index(min(metres))], delivery)
    return nodes
