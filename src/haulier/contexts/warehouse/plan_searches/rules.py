"""The kinds of plans that are searched for: how each is read, checked and compared."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import LoadingProblem
from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.problem import PackingProblem
from haulier.solvers.stocking.checker import check_stocking_plan
from haulier.solvers.stocking.plan import StockingPlan
from haulier.solvers.stocking.problem import StockingProblem


class PlanSearchKind(StrEnum):
    """What is searched for."""

    PACKING = "packing"
    LOADING = "loading"
    STOCKING = "stocking"


class SearchedKind(Struct, frozen=True):
    """The problem and the plan of a kind, and the independent check of the one against the other."""

    problem: type[Any]
    plan: type[Any]
    check: Callable[[Any, Any], Sequence[object]]


KINDS = {
    PlanSearchKind.PACKING: SearchedKind(PackingProblem, PackingPlan, check_plan),
    PlanSearchKind.LOADING: SearchedKind(LoadingProblem, LoadingPlan, check_loading_plan),
    PlanSearchKind.STOCKING: SearchedKind(StockingProblem, StockingPlan, check_stocking_plan),
}


def read_document(kind: PlanSearchKind, problem: Any, plan: Any) -> tuple[Any, Any]:
    """The problem and the plan as a search keeps them; the plan is None where there is none yet."""
    one = KINDS[kind]
    return msgspec.convert(problem, one.problem), None if plan is None else msgspec.convert(plan, one.plan)


def score_of(plan: Any) -> dict[str, Any]:
    """A plan in numbers: what is known of it, its objective and its bound."""
    score = {"state": str(plan.state), "objective": plan.objective, "bound": plan.bound}
    return {**score, "by_cost": plan.by_cost} if isinstance(plan, StockingPlan) else score


def is_no_worse(plan: Any, kept: Any) -> bool:
    """Whether a plan may take the place of another: it is as good, or there is none."""
    if kept is None or kept.objective is None:
        return True
    return plan.objective is not None and plan.objective <= kept.objective


def pieces_in(problem: Any) -> int:
    """How many pieces a problem has."""
    if isinstance(problem, StockingProblem):
        return sum(order.count * len(order.pieces) for order in problem.orders)
    return len(problem.pieces)
