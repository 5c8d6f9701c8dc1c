"""What the warehouse needs from outside: somebody who searches for packing plans and load plans."""

from typing import Protocol

from msgspec import Struct

from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import LoadingProblem
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.problem import PackingProblem


class PackingSearch(Struct, frozen=True, kw_only=True):
    """What to pack, for how long to search, and the seed."""

    problem: PackingProblem
    budget: PackingBudget
    seed: int = 0


class PackingSearchFailed(Exception):
    """The search ended without an answer, by a fault of the software or of the machine."""


class PackingSolver(Protocol):
    """Searches for packing plans away from the event loop."""

    async def solve(self, search: PackingSearch) -> PackingPlan | None:
        """The best plan found, or None when there was none in time. Raises `PackingSearchFailed`."""
        ...


class LoadingSearch(Struct, frozen=True, kw_only=True):
    """What to load, for how long to search, and the seed."""

    problem: LoadingProblem
    budget: PackingBudget
    seed: int = 0


class LoadingSolver(Protocol):
    """Searches for load plans away from the event loop."""

    async def solve(self, search: LoadingSearch) -> LoadingPlan:
        """The best plan found. A call that is cancelled ends its search. Raises `PackingSearchFailed`."""
        ...
