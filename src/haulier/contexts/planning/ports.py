"""Ports of planning: travel times, and a solver."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

from msgspec import Struct

from haulier.kernel.call import Call
from haulier.solvers.loading.problem import LoadSpace
from haulier.solvers.route_loading.loads import RouteLoads
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.travel import Matrix, TravelMode

GeoPoint = tuple[float, float]
"""Degrees north and east, WGS 84."""
TravelTable = tuple[Matrix, Matrix]
"""Seconds and metres; row: from, column: to."""


class TravelFailed(Exception):
    """Raised when the server returns no table.

    `code` is the server's own error code, or `unreachable`.
    """

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code


class TravelTimes(Protocol):
    """A source of travel times and distances."""

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        """From each source to each target. Raises `TravelFailed`."""
        ...


@runtime_checkable
class TrafficAware(Protocol):
    """Source of travel times that depend on the hour of the day."""

    def during(self, worked: Sequence[int]) -> TravelTimes:
        """Return the source for trips in these hours.

        `worked` counts the active drivers in each of the 24 hours of a local day.
        """
        ...


@runtime_checkable
class ModeAware(Protocol):
    """Source of travel times that knows travel modes. The source itself is for vans."""

    def by(self, mode: TravelMode) -> TravelTimes:
        """Return the source for another mode."""
        ...


class SolverRun(Struct, frozen=True, kw_only=True, eq=False):
    """Parameters of a search: problem, time and initial plan.

    With `loads`, only routes that can be loaded count.
    """

    problem: RoutingProblem
    budget: SearchBudget
    seed: int = 0
    start: RoutingPlan | None = None
    loads: RouteLoads | None = None


class SolverRunFailed(Exception):
    """The search ended without a plan, by a fault of the software or of the machine."""


OnBetterPlan = Callable[[RoutingPlan], Awaitable[bool]]
"""Gets the best plan so far, which passed the check: every better one, and at times the same again. False ends the search."""


class SolverRunner(Protocol):
    """Searches for plans, in a thread or process of its own."""

    async def best(self, search: SolverRun, tell: OnBetterPlan) -> RoutingPlan:
        """The best plan found. Raises `SolverRunFailed`. Cancelled, it stops at once."""
        ...


class VehicleBodies(Protocol):
    """The insides of vehicles. Warehouse implements it."""

    async def get(self, call: Call, vehicle_ids: Collection[int]) -> Mapping[int, LoadSpace]:
        """The insides of vehicles whose insides are known, by the id of the vehicle."""
        ...
