"""All tours and what is on none of them."""

from collections.abc import Sequence

from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engines.tour import InsertionSpot, Tour
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.score import SolutionScore, duration_spread_s
from haulier.solvers.routing.timetable import timed_routes
from haulier.solvers.routing.timing import route_timing
from haulier.solvers.routing.unassigned_reasons import ReasonFinder


class SearchState:
    """A plan under construction. `tours` has one per vehicle, `absent` the jobs left out, `home` each job's vehicle."""

    def __init__(self, compiled: CompiledProblem, tours: list[Tour], absent_jobs: list[int]) -> None:
        self.compiled, self.tours, self.absent_jobs = compiled, tours, absent_jobs
        self.vehicle_of = {node >> 1: tour.number for tour in tours for node in tour.nodes}

    def copy(self) -> "SearchState":
        """The same, to be changed."""
        twin = SearchState.__new__(SearchState)
        twin.compiled, twin.tours, twin.absent_jobs, twin.vehicle_of = (
            self.compiled,
            self.tours[:],
            self.absent_jobs[:],
            self.vehicle_of.copy(),
        )
        return twin

    def insert_job(self, job: int, number: int, spot: InsertionSpot) -> None:
        """Give a job to a vehicle."""
        self.tours[number] = self.tours[number].with_job(job, spot)
        self.vehicle_of[job] = number

    def remove_jobs(self, number: int, jobs: set[int]) -> None:
        """Take jobs off a vehicle; they are absent then."""
        self.tours[number] = self.tours[number].without(jobs)
        for job in sorted(jobs):
            del self.vehicle_of[job]
            self.absent_jobs.append(job)

    def score(self) -> SolutionScore:
        """How good it is; the same numbers as for the plan that it becomes."""
        jobs, objective = self.compiled.jobs, self.compiled.problem.objective
        left = [jobs[job] for job in self.absent_jobs]
        price = sum(tour.price for tour in self.tours) + sum(job.prize for job in left if job.prize is not None)
        if objective.balance_s:
            times = [tour.timing for tour in self.tours if tour.nodes]
            price += objective.balance_s * duration_spread_s([each.duration_s for each in times if each])
        return SolutionScore(sum(1 + job.priority for job in left if job.prize is None), round(price, 6))

    def plan(self, reasons: ReasonFinder) -> RoutingPlan:
        """The plan, with times and reasons."""
        routes = timed_routes(self.compiled, [tour.nodes for tour in self.tours])
        return RoutingPlan(routes=routes, unassigned=reasons.explain(sorted(self.absent_jobs), self.fits))

    def fits(self, job: int) -> bool:
        """Whether a job could go somewhere as things are."""
        return any(tour.cheapest_feasible_spot(job) for tour in self.tours)


def initial_state(compiled: CompiledProblem, sequences: Sequence[Sequence[int]] | None = None) -> SearchState:
    """The state with these orders of stops; a vehicle without any has what people fixed."""
    asked = sequences or [()] * len(compiled.crews)
    tours = [
        Tour(compiled, number, tuple(nodes or _fixed_sequence(compiled, number))) for number, nodes in enumerate(asked)
    ]
    state = SearchState(compiled, tours, [])
    state.absent_jobs = [job for job in range(len(compiled.jobs)) if job not in state.vehicle_of]
    return state


def set_locked_grace(compiled: CompiledProblem) -> None:
    """Let nothing make a locked stop later than it is bound to be with nothing else on the route."""
    for number, crew in enumerate(compiled.crews):
        nodes = _fixed_sequence(compiled, number)
        times = route_timing(compiled, crew, nodes) if nodes else None
        for node, start in zip(nodes, times.starts_s if times else (), strict=False):
            visit = compiled.jobs[node >> 1].delivery if node & 1 else compiled.jobs[node >> 1].pickup
            compiled.grace[node] = max(visit.grace_s if visit else 0, compiled.late_s(node, start))


def _fixed_sequence(compiled: CompiledProblem, number: int) -> list[int]:
    """The locked stops of a vehicle, and then, where the detour is least, the deliveries of what they pick up."""
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
