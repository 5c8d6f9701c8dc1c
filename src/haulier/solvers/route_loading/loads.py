"""What routes carry, in boxes: which are aboard at which time, as problems of loading."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from haulier.solvers.loading.problem import LoadingProblem, LoadPiece, LoadSpace
from haulier.solvers.packing.problem import Size, Turn, turned_size
from haulier.solvers.routing.problem import JobTask, TaskKind

SUPPORT_PERCENT = 75
"""The least share of a box's base that rests on the floor or on others."""
Parcel = tuple[int, int, int, int]
"""Length, width and height in millimetres, and weight in grams."""
Aboard = tuple[tuple[int, int], ...]
"""The jobs that are aboard, each with the rank of the stop where it leaves: 1 is the next. Sorted by rank."""


class RouteLoads(Struct, frozen=True, kw_only=True):
    """The bodies of vehicles by their ids, and the boxes of jobs by theirs.

    A vehicle without a body is not checked; what has no known size is not among the boxes.
    """

    bodies: Mapping[int, LoadSpace]
    parcels: Mapping[int, tuple[Parcel, ...]]

    def fits_alone(self, job: int, body: LoadSpace) -> bool:
        """Whether each box of a job goes into an empty body by its edges, and all of them by their weight."""
        parcels = self.parcels.get(job, ())
        return sum(parcel[3] for parcel in parcels) <= body.payload_g and all(
            any(
                all(edge <= most for edge, most in zip(turned_size(parcel[:3], turn), body.inner, strict=True))
                for turn in Turn
            )
            for parcel in parcels
        )


def moments_aboard(tasks: Sequence[JobTask]) -> list[Aboard]:
    """What is aboard whenever it is most: before each delivery that follows a departure or a pickup, and at the end.

    What is aboard at any other time is a part of one of these. What is picked up and not delivered stays to the end.
    """
    last = len(tasks) + 1
    leaves = {task.job: at for at, task in enumerate(tasks, 1) if task.kind == TaskKind.DELIVERY}
    picked = {task.job for task in tasks if task.kind == TaskKind.PICKUP}
    aboard = {job: at for job, at in leaves.items() if job not in picked}
    moments: list[Aboard] = []
    has_grown = bool(aboard)
    for task in tasks:
        if task.kind == TaskKind.PICKUP:
            aboard[task.job] = leaves.get(task.job, last)
            has_grown = True
            continue
        if has_grown:
            moments.append(_ranked(aboard))
        aboard.pop(task.job, None)
        has_grown = False
    return [*moments, _ranked(aboard)] if has_grown else moments


def _ranked(aboard: Mapping[int, int]) -> Aboard:
    ranks = {at: rank for rank, at in enumerate(sorted(set(aboard.values())), 1)}
    return tuple(sorted(((job, ranks[at]) for job, at in aboard.items()), key=lambda each: (each[1], each[0])))


def loading_problem(loads: RouteLoads, body: LoadSpace, aboard: Aboard) -> LoadingProblem:
    """The question whether a body takes these jobs. Pieces are named by their job, see `job_of`."""
    pieces = [
        LoadPiece(id=f"{job}/{number}", size=parcel[:3], weight_g=parcel[3], stop=rank)
        for job, rank in aboard
        for number, parcel in enumerate(loads.parcels.get(job, ()))
    ]
    return LoadingProblem(pieces=tuple(pieces), spaces=(body,), support_percent=SUPPORT_PERCENT)


def job_of(piece: str) -> int:
    """The job of a piece of `loading_problem`."""
    return int(piece.partition("/")[0])


def turns_within(size: Size, width: int, height: int) -> Iterator[tuple[Turn, int, int, int]]:
    """The turns in which a box is no wider and no higher than this, with the edges that it then has."""
    return (way for way in _ways(size) if way[2] <= width and way[3] <= height)


@lru_cache(maxsize=10_000)
def _ways(size: Size) -> tuple[tuple[Turn, int, int, int], ...]:
    """Each way in which a box can lie, once."""
    ways = {turned_size(size, turn): turn for turn in reversed(Turn)}
    return tuple((turn, *edges) for edges, turn in ways.items())
