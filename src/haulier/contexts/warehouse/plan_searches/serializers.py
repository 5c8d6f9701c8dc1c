"""Searches as answers show them."""

from typing import Any

from haulier.contexts.warehouse.load_plans.contract.plans import LoadAnswer
from haulier.contexts.warehouse.load_plans.serializers import bound_record, load_answer
from haulier.contexts.warehouse.load_plans.serializers import objective_record as load_objective
from haulier.contexts.warehouse.packing.contract.plans import PackingAnswer
from haulier.contexts.warehouse.packing.serializers import objective_record, packing_answer
from haulier.contexts.warehouse.plan_searches.contract.answers import (
    LoadScore,
    PackingScore,
    PlanSearch,
    PlanSearchFault,
    PlanSearchStep,
    PlanSearchSummary,
)
from haulier.contexts.warehouse.plan_searches.rules.kinds import PlanSearchKind, read_document
from haulier.contexts.warehouse.plan_searches.rules.lifecycle import PlanSearchState, effective_state
from haulier.contexts.warehouse.plan_searches.store import SearchHeadRow, SearchRow, SearchStepRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.solvers.loading.plan import LoadingState
from haulier.solvers.packing.plan import ProofState


def search_summary(call: Call, row: SearchHeadRow) -> PlanSearchSummary:
    """A search without its plan."""
    return record(PlanSearchSummary, row, **_head_fields(call, row))


def search_detail(call: Call, row: SearchRow) -> PlanSearch:
    """A search with the best plan so far."""
    packing: PackingAnswer | None = None
    loading: LoadAnswer | None = None
    if row.plan:
        problem, plan = read_document(PlanSearchKind(row.kind), row.problem, row.plan)
        if row.kind == PlanSearchKind.PACKING:
            packing = packing_answer(call, problem, plan, row.codes)
        else:
            loading = load_answer(call, problem, plan, row.codes)
    return record(PlanSearch, row, **_head_fields(call, row), packing_plan=packing, load_plan=loading)


def search_step(call: Call, row: SearchStepRow, kind: PlanSearchKind) -> PlanSearchStep:
    """A step of a search."""
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
    """How much of its time or of its steps a search has used, in percent."""
    if state == PlanSearchState.DONE:
        return 100
    if row.steps:
        return min(99, row.steps_done * 100 // row.steps)
    if row.started_at is None:
        return 0
    used = ((row.finished_at or call.now) - row.started_at).total_seconds()
    return min(99, max(0, int(used * 100 / row.seconds)))


def _scores(kind: PlanSearchKind, score: dict[str, Any] | None) -> dict[str, Any]:
    if score is None:
        return {"packing_score": None, "load_score": None}
    objective, bound = score["objective"], score["bound"]
    if kind is PlanSearchKind.PACKING:
        packed = PackingScore(
            state=ProofState(score["state"]),
            objective=objective and objective_record(objective),
            bound=bound and objective_record(bound),
        )
        return {"packing_score": packed, "load_score": None}
    loaded = LoadScore(
        state=LoadingState(score["state"]), objective=load_objective(objective), bound=bound_record(bound)
    )
    return {"packing_score": None, "load_score": loaded}
