"""Ruin step of `insertion`: removal of strings of stops near each other.

The method is slack induction by string removals (Christiaens and Vanden Berghe 2020). It works on the state of the
insertion engine, which has constraints that PyVRP lacks.
"""

from collections.abc import Sequence
from random import Random

from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engines.state import SearchState
from haulier.solvers.routing.engines.tour import Tour

MEAN_JOBS_REMOVED = 10
"""Average number of jobs removed."""
MAX_STRING_LENGTH = 10
"""Maximum number of jobs in a string."""
SPLIT_STRING_SHARE = 0.5
"""Share of strings that keep a substring in their middle."""


def movable_jobs(compiled: CompiledProblem) -> list[int]:
    """Return the jobs that are not fixed by locked stops."""
    fixed = {node >> 1 for node in compiled.bound}
    return [job for job in range(len(compiled.jobs)) if job not in fixed]


def ruin_tours(state: SearchState, free: Sequence[int], random: Random) -> None:
    """Remove strings of jobs from a few tours near a random movable job."""
    used = [tour for tour in state.tours if tour.nodes]
    if not used:
        return
    mean = sum(len(tour.nodes) for tour in used) / len(used)
    longest = min(MAX_STRING_LENGTH, mean)
    strings = int(random.uniform(1, 4 * MEAN_JOBS_REMOVED / (1 + longest)))
    bound = state.compiled.bound
    ruined: set[int] = set()
    for job in state.compiled.near[random.choice(free)]:
        if len(ruined) >= strings:
            return
        number = state.vehicle_of.get(job)
        if number is None or number in ruined or state.compiled.nodes[job][-1] in bound:
            continue
        ruined.add(number)
        tour = state.tours[number]
        length = int(random.uniform(1, min(len(tour.nodes), longest) + 1))
        jobs = _string_of_jobs(tour, job, length, random)
        state.remove_jobs(number, {job for job in jobs if state.compiled.nodes[job][-1] not in bound})


def _string_of_jobs(tour: Tour, job: int, length: int, random: Random) -> set[int]:
    """Return the jobs of a string of consecutive stops that contains `job`.

    A split string keeps a substring in its middle.
    """
    nodes = tour.nodes
    position = next(place for place, node in enumerate(nodes) if node >> 1 == job)
    kept_count = 0
    if random.random() < SPLIT_STRING_SHARE:
        while length + kept_count < len(nodes) and random.random() > 0.99:
            kept_count += 1
        kept_count = max(kept_count, min(1, len(nodes) - length))
    whole = length + kept_count
    first = random.randint(max(0, position - whole + 1), min(position, len(nodes) - whole))
    string = list(nodes[first : first + whole])
    gap = random.randint(0, length)
    chosen = string[:gap] + string[gap + kept_count :]
    return {node >> 1 for node in chosen} | {job}
