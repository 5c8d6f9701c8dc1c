"""The house's own engine: put each job where it costs least, then take some out and put them back, over and over.

It knows every constraint of the model, because all it asks is whether a job fits a place. The search is slack induction by
string removals (Christiaens and Vanden Berghe, Transp. Science 54, 2020): jobs near each other are taken out as strings of
neighbouring stops and put back greedily, now and then overlooking a place; simulated annealing decides what to keep.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from math import inf
from random import Random

from haulier.solvers.routing.engine import Budget, Meter, Progress, carry_on
from haulier.solvers.routing.engines.ruin import movable, ruin
from haulier.solvers.routing.engines.state import State, begin, settle
from haulier.solvers.routing.engines.tour import Spot
from haulier.solvers.routing.ground import FOREVER, Ground
from haulier.solvers.routing.plan import Plan
from haulier.solvers.routing.problem import Problem
from haulier.solvers.routing.reasons import Reasons
from haulier.solvers.routing.score import Score
from haulier.solvers.routing.timetable import sequences_of

Watch = Callable[[State], bool]
BEAT = 64
"""How many iterations pass between two looks at `progress`."""
ORDERS = {"large": 4, "far": 2, "close": 1, "early": 2, "tight": 2}
"""Orders in which jobs are put in, and how often each is drawn."""
FEW = 150
"""Up to so many jobs, every order is tried for the first plan; above, two at most, as the first plan should be there soon."""
WIDE = 40
"""How many near jobs' tours are tried before all others."""
HOT, COLD = 0.1, 0.001
"""First and last temperature, as shares of what a job costs on average."""


class Insertion:
    """Insertion and repair, for small problems, instant answers and what other engines cannot say."""

    name = "insertion"

    def solve(
        self,
        problem: Problem,
        *,
        seed: int = 0,
        budget: Budget,
        progress: Progress = carry_on,
        start: Plan | None = None,
    ) -> Plan:
        """The best plan found. The first, by insertion alone, is made whatever the budget."""
        meter, random, ground = Meter(budget), Random(seed), Ground(problem)
        reasons = Reasons(ground)
        settle(ground)
        state = first(begin(ground, sequences_of(ground, start) if start else None))
        best = _anneal(state, random, meter, lambda found: progress(found.plan(reasons)))
        return first(best).plan(reasons)


def complete(problem: Problem, plan: Plan) -> Plan:
    """The plan with every job added that still fits somewhere. Routes of the plan must keep the rules."""
    ground = Ground(problem)
    settle(ground)
    return first(begin(ground, sequences_of(ground, plan))).plan(Reasons(ground))


def first(state: State) -> State:
    """Every job added that fits: the best of several orders in which to do that. One job may make room, or a detour
    worth its prize, for another: so it is done until nothing is added."""
    if not state.absent:
        return state
    tries: list[State] = []
    many = len(state.absent) > FEW
    for order in ("far", "large") if many else ORDERS:
        attempt = state.copy()
        recreate(attempt, sorted(attempt.absent, key=lambda job, order=order: (*_rank(state.ground, job, order), job)))
        tries.append(attempt)
        if many and not attempt.absent:
            break
    best = min(tries, key=State.score)
    return first(best) if len(best.absent) < len(state.absent) else state


def recreate(state: State, order: list[int], random: Random | None = None) -> None:
    """Put jobs back one by one, each where it costs least; what fits nowhere, or costs more than its prize, stays out."""
    for job in order:
        found = _cheapest(state, job, random)
        if found:
            state.put(job, *found)
    state.absent = [job for job in state.absent if job not in state.home]


def _cheapest(state: State, job: int, random: Random | None) -> tuple[int, Spot] | None:
    """The best vehicle and place, first among the tours of near jobs, and anywhere when none of those will do."""
    prize = state.ground.jobs[job].prize
    below = inf if prize is None else float(prize)
    near = {state.home[other] for other in state.ground.near[job][:WIDE] if other in state.home}
    empty = _empty(state, job)
    return _best_of(state, job, sorted(near | empty), below, random) or _best_of(
        state, job, [tour.number for tour in state.tours if tour.nodes and tour.number not in near], below, random
    )


def _empty(state: State, job: int) -> set[int]:
    """Vehicles without stops. Of those that are alike, the first stands for all, unless the job is for some only."""
    crews = state.ground.crews
    idle = [tour.number for tour in state.tours if not tour.nodes]
    if state.ground.jobs[job].vehicles is not None:
        return set(idle)
    return set({crews[number].likeness: number for number in reversed(idle)}.values())


def _best_of(
    state: State, job: int, numbers: list[int], below: float, random: Random | None
) -> tuple[int, Spot] | None:
    """The cheapest place on some tours. Where only a whole timing proves a place, that is done for the cheapest alone."""
    offers: list[tuple[Spot, int, bool]] = []
    for number in numbers:
        tour = state.tours[number]
        spot = tour.best_spot(job, below, random)
        if spot:
            offers.append((spot, number, not tour.timed))
            if not tour.timed:
                below = spot.price
    heapify(offers)
    while offers:
        spot, number, proved = heappop(offers)
        tour = state.tours[number]
        if proved or tour.with_job(job, spot).possible:
            return number, spot
        certain = tour.proved_spot(job, below, random)
        if certain:
            heappush(offers, (certain, number, True))
    return None


def _anneal(state: State, random: Random, meter: Meter, watch: Watch) -> State:
    """Ruin and recreate until the budget is spent. Fewer jobs left out always wins; prices compete by temperature."""
    free = movable(state.ground)
    best, best_score = state, state.score()
    score, shown = best_score, False
    scale = max(best_score.price, 1.0) / max(len(state.ground.jobs), 1)
    while (spent := meter.spent) < 1 and free:
        if meter.iterations % BEAT == 0 and not shown:
            shown = True
            if not watch(best):
                break
        meter.tick()
        other = state.copy()
        ruin(other, free, random)
        recreate(other, _shuffled(other, random), random)
        other_score = other.score()
        temperature = scale * HOT * (COLD / HOT) ** spent
        if _accepted(other_score, score, temperature, random):
            state, score = other, other_score
            if score < best_score:
                best, best_score, shown = state, score, False
    return best


def _accepted(new: Score, old: Score, temperature: float, random: Random) -> bool:
    if new.missed != old.missed:
        return new.missed < old.missed
    return new.price < old.price + random.expovariate(1.0) * temperature


def _shuffled(state: State, random: Random) -> list[int]:
    """The absent jobs in one of several orders, drawn by chance."""
    order = random.sample(state.absent, len(state.absent))
    draw = random.choices(("random", *ORDERS), (4, *ORDERS.values()))[0]
    return sorted(order, key=lambda job: _rank(state.ground, job, draw))


def _rank(ground: Ground, job: int, order: str) -> tuple[bool, int, float]:
    """What goes first when jobs are put in: what must not be left out, what has priority, and then by the order's own."""
    asked, node = ground.jobs[job], ground.nodes[job][-1]
    spans = ground.windows[node]
    away = ground.distance[ground.crews[0].vehicle.start][ground.place[node]] if ground.crews else 0
    own = {
        "random": 0,
        "large": -sum(asked.demand),
        "far": -away,
        "close": away,
        "early": spans[-1][1] if spans else 0,
        "tight": sum(closes - opens for opens, closes in spans) if spans else FOREVER,
    }
    return (asked.prize is not None, -asked.priority, own[order])
