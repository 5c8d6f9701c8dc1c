"""Ports of the warehouse: packing plans, and solvers for packing and load plans."""

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Protocol

from msgspec import Struct

from haulier.kernel.call import Call
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import LoadingProblem
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.problem import PackingProblem
from haulier.solvers.stocking.plan import StockingPlan
from haulier.solvers.stocking.problem import StockingProblem


class PackingSearch(Struct, frozen=True, kw_only=True):
    """A packing problem, search time and seed."""

    problem: PackingProblem
    budget: PackingBudget
    seed: int = 0


class PackingSearchFailed(Exception):
    """Raised when a search ends without an answer because of a fault."""


OnPackingNews = Callable[[PackingPlan | None, int], Awaitable[bool]]
"""Receives each better plan, or None periodically, and the steps so far. False ends the search."""


class PackingSolver(Protocol):
    """Searches for packing plans away from the event loop."""

    async def solve(self, search: PackingSearch) -> PackingPlan | None:
        """Return the best plan, or None if none was found in time.

        Raises `PackingSearchFailed`.
        """
        ...

    async def improve(self, search: PackingSearch, tell: OnPackingNews) -> PackingPlan | None:
        """Return the best plan of a long search, reporting each better plan.

        Raises `PackingSearchFailed`. Cancelling it stops the search at once.
        """
        ...


class LoadingSearch(Struct, frozen=True, kw_only=True):
    """A loading problem, search time and seed."""

    problem: LoadingProblem
    budget: PackingBudget
    seed: int = 0


class StockingSearch(Struct, frozen=True, kw_only=True):
    """A stocking problem, search time and seed."""

    problem: StockingProblem
    budget: PackingBudget
    seed: int = 0


OnStockingNews = Callable[[StockingPlan | None, int], Awaitable[bool]]
"""Receives each better advice, or None periodically, and the steps so far. False ends the search."""


class StockingSolver(Protocol):
    """Searches for the kinds of cartons to stock, away from the event loop."""

    async def improve(self, search: StockingSearch, tell: OnStockingNews) -> StockingPlan | None:
        """Return the best advice, reporting each improvement.

        Raises `PackingSearchFailed`. Cancelling it stops the search at once.
        """
        ...


OnLoadingNews = Callable[[LoadingPlan | None, int], Awaitable[bool]]
"""Receives each better plan, or None periodically, and the steps so far. False ends the search."""


class LoadingSolver(Protocol):
    """Searches for load plans away from the event loop."""

    async def solve(self, search: LoadingSearch) -> LoadingPlan:
        """Return the best plan. Raises `PackingSearchFailed`.

        Cancelling the call ends the search.
        """
        ...

    async def improve(self, search: LoadingSearch, tell: OnLoadingNews) -> LoadingPlan | None:
        """Return the best plan of a long search, reporting each better plan.

        Returns None if it ended without one. Raises `PackingSearchFailed`. Cancelling it stops the search at once.
        """
        ...


class PlannedCarton(Struct, frozen=True):
    """A carton of a plan to pack."""

    number: int
    pieces: Counter[str]
    """Number of items by SKU."""
    weight_g: int
    """With its own and that of its filling."""


class PackingPlans(Protocol):
    """Packing plans that pickers follow. The family of packing implements it."""

    async def find_plan(self, call: Call, reference: str) -> int | None:
        """Return the newest plan of an order by reference or tracking number, or None."""
        ...

    async def load_cartons(self, call: Call, plan_id: int) -> list[PlannedCarton]:
        """Return the cartons of a plan in order.

        Raises `NOT_FOUND`, and `PACKING_PLAN_STALE` for a plan that was replaced.
        """
        ...
