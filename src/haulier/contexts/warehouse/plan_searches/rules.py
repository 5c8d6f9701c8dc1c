"""Rules of plan searches."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.warehouse.plan_searches.errors import PLAN_SEARCH_IS_OVER
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.state_machine import StateMachine
from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import LoadingProblem
from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.problem import PackingPiece, PackingProblem, Size
from haulier.solvers.stocking.checker import check_stocking_plan
from haulier.solvers.stocking.plan import PackedOrder, StockingPlan
from haulier.solvers.stocking.problem import OrderShape, StockingProblem, cost_of

MeasuredPiece = tuple[Size, int]
"""The size and the weight of an item."""


def order_shapes(orders: Iterable[Sequence[MeasuredPiece]]) -> tuple[OrderShape, ...]:
    """Return order shapes, most frequent first. Equal orders share a shape."""
    counted = Counter(tuple(sorted(pieces)) for pieces in orders)
    return tuple(
        OrderShape(
            id=f"s{number}",
            count=count,
            pieces=tuple(
                PackingPiece(id=f"p{at}", size=size, weight_g=weight) for at, (size, weight) in enumerate(pieces, 1)
            ),
        )
        for number, (pieces, count) in enumerate(sorted(counted.items(), key=lambda each: (-each[1], each[0])), 1)
    )


def stocking_hash(problem: StockingProblem) -> str:
    """Return the hash of a stocking problem."""
    return hashlib.sha256(msgspec.json.encode(problem, order="deterministic")).hexdigest()


class StockingSums(Struct, frozen=True):
    """Orders, outer volume and cost."""

    orders: int
    volume: int
    cost: int


def sums_of(problem: StockingProblem, packed: Iterable[PackedOrder], only: Collection[str]) -> StockingSums:
    """Return the totals of the cartons of some orders."""
    orders = {order.id: order for order in problem.orders}
    kinds = {kind.id: kind for kind in problem.cartons}
    chosen = [(orders[each.order], kinds[each.carton]) for each in packed if each.order in only]
    return StockingSums(
        sum(order.count for order, _ in chosen),
        sum(order.count * kind.outer_volume for order, kind in chosen),
        sum(order.count * cost_of(problem, order, kind) for order, kind in chosen),
    )


def orders_by_carton(problem: StockingProblem, plan: StockingPlan) -> Mapping[str, int]:
    """Return the number of orders by chosen kind of carton."""
    counts, found = {order.id: order.count for order in problem.orders}, Counter[str]()
    for each in plan.packed:
        found[each.carton] += counts[each.order]
    return found


class PlanSearchKind(StrEnum):
    """Kinds of plan searches."""

    PACKING = "packing"
    LOADING = "loading"
    STOCKING = "stocking"


class SearchedKind(Struct, frozen=True):
    """Problem, plan and independent checker of a kind of search."""

    problem: type[Any]
    plan: type[Any]
    check: Callable[[Any, Any], Sequence[object]]


KINDS = {
    PlanSearchKind.PACKING: SearchedKind(PackingProblem, PackingPlan, check_plan),
    PlanSearchKind.LOADING: SearchedKind(LoadingProblem, LoadingPlan, check_loading_plan),
    PlanSearchKind.STOCKING: SearchedKind(StockingProblem, StockingPlan, check_stocking_plan),
}


def read_document(kind: PlanSearchKind, problem: Any, plan: Any) -> tuple[Any, Any]:
    """Return problem and plan of a search; the plan is None if there is none yet."""
    one = KINDS[kind]
    return msgspec.convert(problem, one.problem), None if plan is None else msgspec.convert(plan, one.plan)


def score_of(plan: Any) -> dict[str, Any]:
    """Return a plan in numbers: what is known of it, its objective and its bound."""
    score = {"state": str(plan.state), "objective": plan.objective, "bound": plan.bound}
    return {**score, "by_cost": plan.by_cost} if isinstance(plan, StockingPlan) else score


def is_no_worse(plan: Any, kept: Any) -> bool:
    """Return True if a plan is as good as the stored one, or there is none."""
    if kept is None or kept.objective is None:
        return True
    return plan.objective is not None and plan.objective <= kept.objective


def pieces_in(problem: Any) -> int:
    """Return the number of items of a problem."""
    if isinstance(problem, StockingProblem):
        return sum(order.count * len(order.pieces) for order in problem.orders)
    return len(problem.pieces)


class PlanSearchState(StrEnum):
    """State of a plan search.

    `done` has an answer, including that nothing can be packed; `cancelled` can have a plan too.
    """

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class PlanSearchAction(StrEnum):
    """Actions that change the state of a plan search; values label the diagram."""

    TAKE = "a worker takes it"
    IMPROVE = "a better plan"
    FINISH = "the search is over"
    FAIL = "no plan was found"
    CANCEL = "cancel_plan_search"


def plan_search_error(action: PlanSearchAction, state: PlanSearchState) -> OperationError:
    """Return the error for a search that is over."""
    return PLAN_SEARCH_IS_OVER()


_QUEUED, _RUNNING = PlanSearchState.QUEUED, PlanSearchState.RUNNING
PLAN_SEARCH_LIFE = StateMachine(
    {
        PlanSearchAction.TAKE: {_QUEUED: _RUNNING},
        PlanSearchAction.IMPROVE: {_RUNNING: _RUNNING},
        PlanSearchAction.FINISH: {_RUNNING: PlanSearchState.DONE},
        PlanSearchAction.FAIL: {_RUNNING: PlanSearchState.FAILED},
        PlanSearchAction.CANCEL: {_QUEUED: PlanSearchState.CANCELLED, _RUNNING: PlanSearchState.CANCELLED},
    },
    created={_QUEUED: "start_packing_search, start_load_search, start_carton_advice"},
    error=plan_search_error,
    draws_stays=True,
)
mermaid = PLAN_SEARCH_LIFE.mermaid
ACTIVE_STATES = frozenset(PlanSearchState) - PLAN_SEARCH_LIFE.terminal


def effective_state(state: str, job_state: str | None) -> PlanSearchState:
    """Return the state of a search, considering its job.

    A search whose job died without a result has failed.
    """
    known = PlanSearchState(state)
    return PlanSearchState.FAILED if known in ACTIVE_STATES and job_state in (None, "dead", "done") else known
