"""What the warehouse needs from outside: somebody who searches for packing plans and load plans."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from msgspec import Struct

from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import LoadingProblem
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.problem import PackingProblem
from haulier.solvers.stocking.plan import StockingPlan
from haulier.solvers.stocking.problem import StockingProblem


class PackingSearch(Struct, frozen=True, kw_only=True):
    """What to pack, for how long to search, and the seed."""

    problem: PackingProblem
    budget: PackingBudget
    seed: int = 0


class PackingSearchFailed(Exception):
    """The search ended without an answer, by a fault of the software or of the machine."""


OnPackingNews = Callable[[PackingPlan | None, int], Awaitable[bool]]
"""Gets each better plan, or None at times when there is none, and the steps so far. False ends the search."""


class PackingSolver(Protocol):
    """Searches for packing plans away from the event loop."""

    async def solve(self, search: PackingSearch) -> PackingPlan | None:
        """The best plan found, or None when there was none in time. Raises `PackingSearchFailed`."""
        ...

    async def improve(self, search: PackingSearch, tell: OnPackingNews) -> PackingPlan | None:
        """The same for long searches: tells of each better plan. Raises `PackingSearchFailed`. Cancelled, it stops at once."""
        ...


class LoadingSearch(Struct, frozen=True, kw_only=True):
    """What to load, for how long to search, and the seed."""

    problem: LoadingProblem
    budget: PackingBudget
    seed: int = 0


class StockingSearch(Struct, frozen=True, kw_only=True):
    """Which orders to find cartons for, for how long to search, and the seed."""

    problem: StockingProblem
    budget: PackingBudget
    seed: int = 0


OnStockingNews = Callable[[StockingPlan | None, int], Awaitable[bool]]
"""Gets each better advice, or None at times when there is none, and the steps so far. False ends the search."""


class StockingSolver(Protocol):
    """Searches for the kinds of cartons to stock, away from the event loop."""

    async def improve(self, search: StockingSearch, tell: OnStockingNews) -> StockingPlan | None:
        """The best advice found, told as it gets better. Raises `PackingSearchFailed`. Cancelled, it stops at once."""
        ...


OnLoadingNews = Callable[[LoadingPlan | None, int], Awaitable[bool]]
"""Gets each better plan, or None at times when there is none, and the steps so far. False ends the search."""


class LoadingSolver(Protocol):
    """Searches for load plans away from the event loop."""

    async def solve(self, search: LoadingSearch) -> LoadingPlan:
        """The best plan found. A call that is cancelled ends its search. Raises `PackingSearchFailed`."""
        ...

    async def improve(self, search: LoadingSearch, tell: OnLoadingNews) -> LoadingPlan | None:
        """The same for long searches: tells of each better plan; None where it was ended before there was one.

        Raises `PackingSearchFailed`. Cancelled, it stops at once.
        """
        ...
