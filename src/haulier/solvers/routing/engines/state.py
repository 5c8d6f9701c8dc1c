"""All tours and what is on none of them."""

from collections.abc import Sequence

from haulier.solvers.routing.engines.tour import Spot, Tour
from haulier.solvers.routing.ground import Ground
from haulier.solvers.routing.plan import Plan
from haulier.solvers.routing.reasons import Reasons
from haulier.solvers.routing.score import Score, spread
from haulier.solvers.routing.timetable import routes_of
from haulier.solvers.routing.timing import timing


class State:
    """A plan under construction. `tours` has one per vehicle, `absent` the jobs left out, `home` each job's vehicle."""

    def __init__(self, ground: Ground, tours: list[Tour], absent: list[int]) -> None:
        self.ground, self.tours, self.absent = ground, tours, absent
        self.home = {node >> 1: tour.number for tour in tours for node in tour.nodes}

    def copy(self) -> "State":
        """The same, to be changed."""
        twin = State.__new__(State)
        twin.ground, twin.tours, twin.absent, twin.home = self.ground, self.tours[:], self.absent[:], self.home.copy()
        return twin

    def put(self, job: int, number: int, spot: Spot) -> None:
        """Give a job to a vehicle."""
        self.tours[number] = self.tours[number].with_job(job, spot)
        self.home[job] = number

    def take_out(self, number: int, jobs: set[int]) -> None:
        """Take jobs off a vehicle; they are absent then."""
        self.tours[number] = self.tours[number].without(jobs)
        for job in sorted(jobs):
            del self.home[job]
            self.absent.append(job)

    def score(self) -> Score:
        """How good it is; the same numbers as for the plan that it becomes."""
        jobs, objective = self.ground.jobs, self.ground.problem.objective
        left = [jobs[job] for job in self.absent]
        price = sum(tour.price for tour in self.tours) + sum(job.prize for job in left if job.prize is not None)
        if objective.balance_s:
            times = [tour.timing for tour in self.tours if tour.nodes]
            price += objective.balance_s * spread([each.duration_s for each in times if each])
        return Score(sum(1 + job.priority for job in left if job.prize is None), round(price, 6))

    def plan(self, reasons: Reasons) -> Plan:
        """The plan, with times and reasons."""
        routes = routes_of(self.ground, [tour.nodes for tour in self.tours])
        return Plan(routes=routes, unassigned=reasons.explain(sorted(self.absent), self.fits))

    def fits(self, job: int) -> bool:
        """Whether a job could go somewhere as things are."""
        return any(tour.certain_spot(job) for tour in self.tours)


def begin(ground: Ground, sequences: Sequence[Sequence[int]] | None = None) -> State:
    """The state with these orders of stops; a vehicle without any has what people fixed."""
    asked = sequences or [()] * len(ground.crews)
    tours = [Tour(ground, number, tuple(nodes or _fixed(ground, number))) for number, nodes in enumerate(asked)]
    state = State(ground, tours, [])
    state.absent = [job for job in range(len(ground.jobs)) if job not in state.home]
    return state


def settle(ground: Ground) -> None:
    """Let nothing make a locked stop later than it is bound to be with nothing else on the route."""
    for number, crew in enumerate(ground.crews):
        nodes = _fixed(ground, number)
        times = timing(ground, crew, nodes) if nodes else None
        for node, start in zip(nodes, times.starts_s if times else (), strict=False):
            visit = ground.jobs[node >> 1].delivery if node & 1 else ground.jobs[node >> 1].pickup
            ground.grace[node] = max(visit.grace_s if visit else 0, ground.late_s(node, start))


def _fixed(ground: Ground, number: int) -> list[int]:
    """The locked stops of a vehicle, and then, where the detour is least, the deliveries of what they pick up."""
    crew = ground.crews[number]
    nodes = list(crew.locked)
    for node in crew.locked:
        delivery = node | 1
        if node & 1 or delivery not in ground.bound or delivery in nodes:
            continue
        places = range(max(len(crew.locked), nodes.index(node) + 1), len(nodes) + 1)
        metres = [Tour(ground, number, (*nodes[:place], delivery, *nodes[place:])).metres for place in places]
        nodes.insert(places[metres.index(min(metres))], delivery)
    return nodes
