"""Remove strings of neighbouring stops near each other: the ruin step of `insertion`.

The method is slack induction by string removals (Christiaens and Vanden Berghe 2020). It is ours and not PyVRP's because
it works on the state of the insertion engine, whose constraints PyVRP does not have.
"""

from collections.abc import Sequence
from random import Random

from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engines.state import SearchState
from haulier.solvers.routing.engines.tour import Tour

MEAN_JOBS_REMOVED = 10
"""Jobs that are removed on average."""
MAX_STRING_LENGTH = 10
"""Jobs of one string at most."""
SPLIT_STRING_SHARE = 0.5
"""Share of the strings that keep a stretch in their middle."""


def movable_jobs(compiled: CompiledProblem) -> list[int]:
    """The jobs that are not fixed by locked stops."""
    fixed = {node >> 1 for node in compiled.bound}
    return [job for job in range(len(compiled.jobs)) if job not in fixed]


def ruin_tours(state: SearchState, free: Sequence[int], random: Random) -> None:
    """Remove strings of jobs from a few tours near a random one of the free jobs."""
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
    """Jobs of neighbouring stops, the given one among them; of a split string, a stretch in the middle stays."""
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
