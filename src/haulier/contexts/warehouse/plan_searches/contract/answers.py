"""The answers of plan searches."""

from datetime import datetime
from typing import Annotated

from haulier.contexts.warehouse.load_plans.contract.plans import LoadAnswer, LoadBound, LoadObjective, LoadPlanDetail
from haulier.contexts.warehouse.packing.contract.plans import PackingAnswer, PackingObjective, PackingPlanDetail
from haulier.contexts.warehouse.plan_searches.contract.advice import AdviceScore, CartonAdvice
from haulier.contexts.warehouse.plan_searches.rules.kinds import PlanSearchKind
from haulier.contexts.warehouse.plan_searches.rules.lifecycle import PlanSearchState
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.values.pagination import PagedAnswer
from haulier.solvers.loading.plan import LoadingState
from haulier.solvers.packing.plan import ProofState


class PackingScore(Answer):
    """A packing plan in numbers."""

    state: Annotated[ProofState, doc("What is proved of it.")]
    objective: PackingObjective | None
    bound: Annotated[PackingObjective | None, doc("No plan is better than this.")]


class LoadScore(Answer):
    """A load plan in numbers."""

    state: Annotated[LoadingState, doc("What is known of it.")]
    objective: LoadObjective
    bound: Annotated[LoadBound, doc("No plan is better than this.")]


class PlanSearchFault(Answer):
    """Why a search failed."""

    code: str
    message: str


class PlanSearchSummary(Answer):
    """A search, without its plan."""

    id: Annotated[int | None, doc("Null in a dry run: nothing is kept.")]
    kind: PlanSearchKind
    state: PlanSearchState
    pieces: int
    seconds: Annotated[int, doc("The most seconds that it searches.")]
    steps: Annotated[int | None, doc("The steps that it shall do; null where seconds alone count.")]
    seed: int
    steps_done: int
    progress_percent: Annotated[int, doc("How much of its time or its steps is used, rounded down.")]
    improvements: Annotated[int, doc("How often the plan became better.")]
    cut_short: Annotated[bool, doc("Whether its time ended before its steps were done: another run may differ.")]
    packing_score: Annotated[PackingScore | None, doc("Of the best packing plan so far.")]
    load_score: Annotated[LoadScore | None, doc("Of the best load plan so far.")]
    advice_score: Annotated[AdviceScore | None, doc("Of the best advice on cartons so far.")]
    fault: PlanSearchFault | None
    created_at: datetime
    created_by: int | None
    started_at: datetime | None
    updated_at: datetime
    finished_at: datetime | None


class PlanSearch(PlanSearchSummary):
    """A search with the best plan so far."""

    packing_plan: Annotated[PackingAnswer | None, doc("The best packing plan so far.")]
    load_plan: Annotated[LoadAnswer | None, doc("The best load plan so far.")]
    carton_advice: Annotated[CartonAdvice | None, doc("The best advice on cartons so far.")]


class PlanSearchAnswer(Answer):
    """One search."""

    result: bool = True
    search: PlanSearch


class PlanSearchList(PagedAnswer):
    """A page of searches, the newest first."""

    searches: list[PlanSearchSummary]


class PlanSearchStep(Answer):
    """A better plan, or the end: the last step has the state in which the search ended."""

    number: int
    at: datetime
    state: PlanSearchState
    packing_score: PackingScore | None
    load_score: LoadScore | None
    advice_score: AdviceScore | None


class PlanSearchSteps(Answer):
    """Steps of a search, in order."""

    result: bool = True
    plan_search_id: int
    steps: list[PlanSearchStep]
    next_cursor: str | None
    more: bool


class CommittedSearch(Answer):
    """The plan that is kept now."""

    result: bool = True
    packing_plan: PackingPlanDetail | None
    load_plan: LoadPlanDetail | None
