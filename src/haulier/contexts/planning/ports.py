"""What dispatch needs from outside: how long trips take, and somebody who searches for plans."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from msgspec import Struct

from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.travel import Matrix, TravelMatrices

GeoPoint = tuple[float, float]
"""Degrees north and east, WGS 84."""
TravelTable = tuple[Matrix, Matrix]
"""Seconds and metres; row: from, column: to."""


class TravelFailed(Exception):
    """The server gave no table: it cannot be reached, or says why not. `code` is the server's own, or `unreachable`."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code


class TravelTimes(Protocol):
    """Who knows how long and how far it is."""

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        """From each source to each target. Raises `TravelFailed`."""
        ...


@runtime_checkable
class TrafficAware(Protocol):
    """Who knows how traffic changes with the hour of the day."""

    def during(self, worked: Sequence[int]) -> TravelTimes:
        """The same for trips in these hours: how many drivers are on the road in each of the 24 of a local day."""
        ...


async def load_travel_matrix(
    travels: TravelTimes, places: Sequence[GeoPoint], worked: Sequence[int] = ()
) -> TravelMatrices:
    """All of some places with each other, as a route builder wants it. Raises `TravelFailed`.

    `worked` are the hours in which the trips are made (see `TrafficAware`); who knows nothing of hours is asked without them.
    """
    asked = travels.during(worked) if any(worked) and isinstance(travels, TrafficAware) else travels
    seconds, metres = await asked.table(places, places)
    np.fill_diagonal(seconds, 0)
    np.fill_diagonal(metres, 0)
    return TravelMatrices(seconds, metres)


class SolverRun(Struct, frozen=True, kw_only=True, eq=False):
    """What to search for, for how long, and the plan to begin with."""

    problem: RoutingProblem
    budget: SearchBudget
    seed: int = 0
    start: RoutingPlan | None = None


class SolverRunFailed(Exception):
    """The search ended without an answer, by a fault of ours or of the machine."""


OnBetterPlan = Callable[[RoutingPlan], Awaitable[bool]]
"""Is told the best plan so far, which passed the check: every better one, and now and then the same. False ends the search."""


class SolverRunner(Protocol):
    """Who searches for plans, without holding anybody up."""

    async def best(self, search: SolverRun, tell: OnBetterPlan) -> RoutingPlan:
        """The best plan found. Raises `SolverRunFailed`. Cancelled, it stops at once."""
        ...
