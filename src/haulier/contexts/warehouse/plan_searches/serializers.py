"""Searches as answers show them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from haulier.contexts.warehouse.load_plans.contract import LoadAnswer
from haulier.contexts.warehouse.load_plans.serializers import bound_record, load_answer
from haulier.contexts.warehouse.load_plans.serializers import objective_record as load_objective
from haulier.contexts.warehouse.packing.contract.plans import PackingAnswer
from haulier.contexts.warehouse.packing.serializers import objective_record, packing_answer
from haulier.contexts.warehouse.plan_searches.contract import (
    AdviceScore,
    AdviceToday,
    AdviceTotals,
    AdvisedCarton,
    CartonAdvice,
    LoadScore,
    OrdersWithoutCarton,
    PackingScore,
    PlanSearch,
    PlanSearchFault,
    PlanSearchStep,
    PlanSearchSummary,
)
from haulier.contexts.warehouse.plan_searches.rules import (
    PlanSearchKind,
    PlanSearchState,
    effective_state,
    orders_by_carton,
    read_document,
    sums_of,
)
from haulier.contexts.warehouse.plan_searches.store import SearchHeadRow, SearchRow, SearchStepRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.solvers.loading.plan import LoadingState
from haulier.solvers.packing.plan import ProofState
from haulier.solvers.stocking.plan import StockingPlan, UnfitReason
from haulier.solvers.stocking.problem import StockingProblem


def search_summary(call: Call, row: SearchHeadRow) -> PlanSearchSummary:
    """Return a search without its plan."""
    return record(PlanSearchSummary, row, **_head_fields(call, row))


def search_detail(call: Call, row: SearchRow) -> PlanSearch:
    """Return a search with the best plan so far."""
    packing: PackingAnswer | None = None
    loading: LoadAnswer | None = None
    advice: CartonAdvice | None = None
    if row.plan:
        problem, plan = read_document(PlanSearchKind(row.kind), row.problem, row.plan)
        if row.kind == PlanSearchKind.PACKING:
            packing = packing_answer(call, problem, plan, row.codes)
        elif row.kind == PlanSearchKind.STOCKING:
            advice = carton_advice(call, problem, plan, row.codes)
        else:
            loading = load_answer(call, problem, plan, row.codes)
    return record(
        PlanSearch, row, **_head_fields(call, row), packing_plan=packing, load_plan=loading, carton_advice=advice
    )


def search_step(call: Call, row: SearchStepRow, kind: PlanSearchKind) -> PlanSearchStep:
    """Return a step of a search."""
    return record(
        PlanSearchStep,
        row,
        at=call.local_time(row.at),
        state=PlanSearchState(row.state),
        **_scores(kind, row.score),
    )


def _head_fields(call: Call, row: SearchHeadRow) -> dict[str, Any]:
    state = effective_state(row.state, row.job_state)
    fault = "plan_search_interrupted" if state != row.state else row.fault
    return {
        "kind": PlanSearchKind(row.kind),
        "state": state,
        "progress_percent": _progress(call, row, state),
        **_scores(PlanSearchKind(row.kind), row.score),
        "fault": fault and PlanSearchFault(code=fault.upper(), message=call.translate(fault)),
        **{
            name: call.local_time(getattr(row, name))
            for name in ("created_at", "started_at", "updated_at", "finished_at")
        },
    }


def _progress(call: Call, row: SearchHeadRow, state: PlanSearchState) -> int:
    """Return the share of time or steps that a search has used, in percent."""
    if state == PlanSearchState.DONE:
        return 100
    if row.steps:
        return min(99, row.steps_done * 100 // row.steps)
    if row.started_at is None:
        return 0
    used = ((row.finished_at or call.now) - row.started_at).total_seconds()
    return min(99, max(0, int(used * 100 / row.seconds)))


def _scores(kind: PlanSearchKind, score: dict[str, Any] | None) -> dict[str, Any]:
    """Return the numbers of a plan under the name of its kind; null under the others."""
    scores: dict[str, Any] = {"packing_score": None, "load_score": None, "advice_score": None}
    if score is None:
        return scores
    objective, bound = score["objective"], score["bound"]
    if kind is PlanSearchKind.PACKING:
        scores["packing_score"] = PackingScore(
            state=ProofState(score["state"]),
            objective=objective and objective_record(objective),
            bound=bound and objective_record(bound),
        )
    elif kind is PlanSearchKind.STOCKING:
        totals = [advice_totals(each, score["by_cost"]) for each in (objective, bound)]
        scores["advice_score"] = AdviceScore(state=ProofState(score["state"]), objective=totals[0], bound=totals[1])
    else:
        scores["load_score"] = LoadScore(
            state=LoadingState(score["state"]), objective=load_objective(objective), bound=bound_record(bound)
        )
    return scores


def advice_totals(sums: Sequence[int], by_cost: bool) -> AdviceTotals:
    """Return orders without a carton and the sum over the others, as callers see them."""
    lost, total = sums
    if by_cost:
        return AdviceTotals(orders_without_carton=lost, outer_volume_mm3=None, cost_minor=total)
    return AdviceTotals(orders_without_carton=lost, outer_volume_mm3=total)


def carton_advice(call: Call, problem: StockingProblem, plan: StockingPlan, codes: dict[str, str]) -> CartonAdvice:
    """Return an advice with words."""
    counts = {order.id: order.count for order in problem.orders}
    reasons = Counter[UnfitReason]()
    for each in plan.unfit:
        reasons[each.reason] += counts[each.order]
    return CartonAdvice(
        state=plan.state,
        message=call.translate(f"advice_state.{plan.state}"),
        orders=sum(counts.values()),
        orders_without_size=problem.without_size,
        more_orders=problem.is_cut,
        objective=advice_totals(plan.objective, plan.by_cost),
        bound=advice_totals(plan.bound, plan.by_cost),
        cartons=_advised_cartons(problem, plan, codes),
        without_carton=[
            OrdersWithoutCarton(reason=reason, message=call.translate(f"advice_unfit.{reason}"), orders=count)
            for reason, count in sorted(reasons.items())
        ],
        today=_today(problem, plan),
    )


def _advised_cartons(problem: StockingProblem, plan: StockingPlan, codes: dict[str, str]) -> list[AdvisedCarton]:
    kinds, orders = {kind.id: kind for kind in problem.cartons}, orders_by_carton(problem, plan)
    return [
        AdvisedCarton(
            carton_id=int(id) if id in codes else None,
            code=codes.get(id),
            inner_mm=list(kinds[id].inner),
            outer_mm=list(kinds[id].outer),
            payload_g=kinds[id].payload_g,
            orders=orders.get(id, 0),
            cost_minor=kinds[id].cost_cents,
        )
        for id in plan.cartons
    ]


def _today(problem: StockingProblem, plan: StockingPlan) -> AdviceToday:
    """Return today's catalogue for the orders that both it and the advice can take."""
    both = {each.order for each in plan.packed} & {each.order for each in plan.today}
    now, then = sums_of(problem, plan.today, both), sums_of(problem, plan.packed, both)
    there = {each.order for each in plan.today}
    return AdviceToday(
        cartons=len(problem.today),
        orders_without_carton=sum(order.count for order in problem.orders if order.id not in there),
        compared_orders=now.orders,
        outer_volume_mm3=now.volume,
        advised_outer_volume_mm3=then.volume,
        saved_percent=(now.volume - then.volume) * 100 // now.volume if now.volume else 0,
        cost_minor=now.cost,
        advised_cost_minor=then.cost,
    )
