"""Insertion heuristic with ruin and recreate.

The search is slack induction by string removals (Christiaens and Vanden Berghe, Transp. Science 54, 2020): jobs near
each other are removed as strings of consecutive stops and inserted again greedily, skipping a position now and then;
simulated annealing decides which result to accept.

This engine exists beside PyVRP because it supports every constraint of the model: it only needs to know whether a job
fits at a position. PyVRP has no breaks, locked stops, balance, grace, or several windows for a pair (see
`pyvrp_model`); on problems with these, the two engines alternate. Insertion also makes the first plan and completes
every plan of PyVRP. Where PyVRP can express the whole problem it searches better: after 30 s its mean gap on Solomon's
instances is 0.01 %, that of this engine 2.78 % (bench/ROUTING.md).
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from math import inf
from random import Random

from haulier.solvers.routing.compiled import INFINITE_S, CompiledProblem
from haulier.solvers.routing.engine import BudgetMeter, Progress, SearchBudget, always_continue
from haulier.solvers.routing.engines.ruin import movable_jobs, ruin_tours
from haulier.solvers.routing.engines.state import SearchState, initial_state, set_locked_grace
from haulier.solvers.routing.engines.tour import InsertionSpot
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.score import SolutionScore
from haulier.solvers.routing.timetable import node_sequences
from haulier.solvers.routing.unassigned_reasons import ReasonFinder

WatchState = Callable[[SearchState], bool]
WATCH_INTERVAL_ITERATIONS = 64
"""Iterations between two calls of `progress`."""
INSERTION_ORDERS = {"large": 4, "far": 2, "close": 1, "early": 2, "tight": 2}
"""Orders in which jobs are inserted, with their weights in random selection."""
MAX_JOBS_FOR_ALL_ORDERS = 150
"""Up to this number of jobs, every order is tried for the first plan; above, at most two."""
# A first plan of 1,000 stops must be available within 2 s (bench/ROUTING.md, Targets).
MAX_NEAR_JOBS_TRIED = 40
"""Number of near jobs whose tours are tried before all others."""
START_TEMPERATURE, END_TEMPERATURE = 0.1, 0.001
"""First and last temperature, as shares of the average cost of a job."""


class InsertionEngine:
    """Engine for first plans and for constraints that other engines lack."""

    name = "insertion"

    def solve(
        self,
        problem: RoutingProblem,
        *,
        seed: int = 0,
        budget: SearchBudget,
        progress: Progress = always_continue,
        start: RoutingPlan | None = None,
    ) -> RoutingPlan:
        """Return the best plan found, at least the first plan by insertion."""
        meter, random, compiled = BudgetMeter(budget), Random(seed), CompiledProblem(problem)
        reasons = ReasonFinder(compiled)
        set_locked_grace(compiled)
        state = insert_absent_jobs(initial_state(compiled, node_sequences(compiled, start) if start else None))
        best = _anneal(state, random, meter, lambda better: progress(better.plan(reasons)))
        return insert_absent_jobs(best).plan(reasons)


def complete_plan(problem: RoutingProblem, plan: RoutingPlan) -> RoutingPlan:
    """Return the plan with every job added that still fits.

    Routes of the plan must be valid.
    """
    compiled = CompiledProblem(problem)
    set_locked_grace(compiled)
    return insert_absent_jobs(initial_state(compiled, node_sequences(compiled, plan))).plan(ReasonFinder(compiled))


def insert_absent_jobs(state: SearchState) -> SearchState:
    """Insert every absent job that fits and does not worsen the score.

    Several orders are tried; the best result is returned.
    """
    # Repeat until no job is added: an inserted job may make room for another, or its detour worthwhile.
    if not state.absent_jobs:
        return state
    tries: list[SearchState] = []
    many = len(state.absent_jobs) > MAX_JOBS_FOR_ALL_ORDERS
    for order in ("far", "large") if many else INSERTION_ORDERS:
        attempt = state.copy()
        recreate_tours(
            attempt,
            sorted(
                attempt.absent_jobs, key=lambda job, order=order: (*_insertion_rank(state.compiled, job, order), job)
            ),
        )
        tries.append(attempt)
        if many and not attempt.absent_jobs:
            break
    best = min(tries, key=SearchState.score)
    # Compare scores: the price of a spot does not include the effect of a job with a prize on balance.
    is_better = len(best.absent_jobs) < len(state.absent_jobs) and best.score() <= state.score()
    return insert_absent_jobs(best) if is_better else state


def recreate_tours(state: SearchState, order: list[int], random: Random | None = None) -> None:
    """Insert jobs one by one at their cheapest spot.

    A job that fits nowhere or costs more than its prize stays absent.
    """
    for job in order:
        insertion = _cheapest_insertion(state, job, random)
        if insertion:
            state.insert_job(job, *insertion)
    state.absent_jobs = [job for job in state.absent_jobs if job not in state.vehicle_of]


def _cheapest_insertion(state: SearchState, job: int, random: Random | None) -> tuple[int, InsertionSpot] | None:
    """Return the cheapest vehicle and spot.

    Tours of near jobs and empty vehicles are tried first, then all others.
    """
    prize = state.compiled.jobs[job].prize
    below = inf if prize is None else float(prize)
    near = {
        state.vehicle_of[near_job]
        for near_job in state.compiled.near[job][:MAX_NEAR_JOBS_TRIED]
        if near_job in state.vehicle_of
    }
    empty = _empty_vehicles(state, job)
    return _cheapest_among_tours(state, job, sorted(near | empty), below, random) or _cheapest_among_tours(
        state, job, [tour.number for tour in state.tours if tour.nodes and tour.number not in near], below, random
    )


def _empty_vehicles(state: SearchState, job: int) -> set[int]:
    """Return empty vehicles, one of each interchangeable kind.

    All are returned if the job is restricted to some vehicles.
    """
    crews = state.compiled.crews
    idle = [tour.number for tour in state.tours if not tour.nodes]
    if state.compiled.jobs[job].vehicles is not None:
        return set(idle)
    return set({crews[number].equivalence: number for number in reversed(idle)}.values())


def _cheapest_among_tours(
    state: SearchState, job: int, numbers: list[int], below: float, random: Random | None
) -> tuple[int, InsertionSpot] | None:
    """Return the cheapest spot on some tours.

    If a spot requires timing the whole route, only the cheapest one is timed.
    """
    offers: list[tuple[InsertionSpot, int, bool]] = []
    for number in numbers:
        tour = state.tours[number]
        spot = tour.best_spot(job, below, random)
        if spot:
            offers.append((spot, number, not tour.timed))
            if not tour.timed:
                below = spot.price
    heapify(offers)
    while offers:
        spot, number, is_verified = heappop(offers)
        tour = state.tours[number]
        if is_verified or tour.with_job(job, spot).possible:
            return number, spot
        verified = tour.verified_spot(job, below, random)
        if verified:
            heappush(offers, (verified, number, True))
    return None


def _anneal(state: SearchState, random: Random, meter: BudgetMeter, watch: WatchState) -> SearchState:
    """Ruin and recreate with simulated annealing until the budget is used up.

    Fewer absent jobs always win; a higher price is accepted depending on the temperature.
    """
    free = movable_jobs(state.compiled)
    best, best_score = state, state.score()
    score, reported = best_score, False
    scale = max(best_score.price, 1.0) / max(len(state.compiled.jobs), 1)
    while (spent := meter.spent) < 1 and free:
        if meter.iterations % WATCH_INTERVAL_ITERATIONS == 0 and not reported:
            reported = True
            if not watch(best):
                break
        meter.tick()
        candidate = state.copy()
        ruin_tours(candidate, free, random)
        recreate_tours(candidate, _shuffled_absent_jobs(candidate, random), random)
        candidate_score = candidate.score()
        temperature = scale * START_TEMPERATURE * (END_TEMPERATURE / START_TEMPERATURE) ** spent
        if _is_accepted(candidate_score, score, temperature, random):
            state, score = candidate, candidate_score
            if score < best_score:
                best, best_score, reported = state, score, False
    return best


def _is_accepted(new: SolutionScore, old: SolutionScore, temperature: float, random: Random) -> bool:
    if new.missed != old.missed:
        return new.missed < old.missed
    return new.price < old.price + random.expovariate(1.0) * temperature


def _shuffled_absent_jobs(state: SearchState, random: Random) -> list[int]:
    """Return the absent jobs in a randomly chosen order."""
    order = random.sample(state.absent_jobs, len(state.absent_jobs))
    draw = random.choices(("random", *INSERTION_ORDERS), (4, *INSERTION_ORDERS.values()))[0]
    return sorted(order, key=lambda job: _insertion_rank(state.compiled, job, draw))


def _insertion_rank(compiled: CompiledProblem, job: int, order: str) -> tuple[bool, int, float]:
    """Return the rank of a job: mandatory first, then by priority and order key."""
    request, node = compiled.jobs[job], compiled.nodes[job][-1]
    windows = compiled.windows[node]
    distance_m = (
        compiled.crews[0].distance[compiled.crews[0].vehicle.start][compiled.place[node]] if compiled.crews else 0
    )
    keys = {
        "random": 0,
        "large": -sum(request.demand),
        "far": -distance_m,
        "close": distance_m,
        "early": windows[-1][1] if windows else 0,
        "tight": sum(closes - opens for opens, closes in windows) if windows else INFINITE_S,
    }
    return (request.prize is not None, -request.priority, keys[order])
