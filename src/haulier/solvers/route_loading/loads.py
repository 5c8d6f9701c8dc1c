"""Boxes carried by routes, and the loading problem of each moment."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from haulier.solvers.loading.problem import LoadingProblem, LoadPiece, LoadSpace
from haulier.solvers.packing.problem import Size, Turn, turned_size
from haulier.solvers.routing.problem import JobTask, TaskKind

SUPPORT_PERCENT = 75
"""Minimum share of the base of a box that must be supported."""
Parcel = tuple[int, int, int, int]
"""Length, width and height in millimetres, and weight in grams."""
Aboard = tuple[tuple[int, int], ...]
"""Jobs aboard with the rank of their unloading stop (1 is next), sorted by rank."""


class RouteLoads(Struct, frozen=True, kw_only=True):
    """Cargo spaces by vehicle id and boxes by job id.

    A vehicle without a cargo space is not checked; items of unknown size are not among the boxes.
    """

    bodies: Mapping[int, LoadSpace]
    parcels: Mapping[int, tuple[Parcel, ...]]

    def fits_alone(self, job: int, body: LoadSpace) -> bool:
        """Return True if the boxes of a job fit an empty cargo space by size and weight."""
        parcels = self.parcels.get(job, ())
        return sum(parcel[3] for parcel in parcels) <= body.payload_g and all(
            any(
                all(edge <= most for edge, most in zip(turned_size(parcel[:3], turn), body.inner, strict=True))
                for turn in Turn
            )
            for parcel in parcels
        )


def moments_aboard(tasks: Sequence[JobTask]) -> list[Aboard]:
    """Return the largest loads of a route.

    They occur before deliveries after a departure or pickup, and at the end. The load at any other time is a subset of
    one of these. Pickups without a delivery stay to the end.
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
    """Return the loading problem of jobs aboard; for piece ids, see `job_of`."""
    pieces = [
        LoadPiece(id=f"{job}/{number}", size=parcel[:3], weight_g=parcel[3], stop=rank)
        for job, rank in aboard
        for number, parcel in enumerate(loads.parcels.get(job, ()))
    ]
    return LoadingProblem(pieces=tuple(pieces), spaces=(body,), support_percent=SUPPORT_PERCENT)


def job_of(piece: str) -> int:
    """Return the job of a piece of `loading_problem`."""
    return int(piece.partition("/")[0])


def turns_within(size: Size, width: int, height: int) -> Iterator[tuple[Turn, int, int, int]]:
    """Yield the orientations of a box within a width and height, with its edges."""
    return (way for way in _ways(size) if way[2] <= width and way[3] <= height)


@lru_cache(maxsize=10_000)
def _ways(size: Size) -> tuple[tuple[Turn, int, int, int], ...]:
    """Return each distinct orientation of a box."""
    ways = {turned_size(size, turn): turn for turn in reversed(Turn)}
    return tuple((turn, *edges) for edges, turn in ways.items())
