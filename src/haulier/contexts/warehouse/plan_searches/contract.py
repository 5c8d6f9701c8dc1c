"""Request and response models of plan searches."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.warehouse.load_plans.contract import (
    LoadAnswer,
    LoadBound,
    LoadingQuestion,
    LoadObjective,
    LoadPlanDetail,
)
from haulier.contexts.warehouse.packing.contract.cartons import COST_MAX_MINOR, SHIPPING, Cushion
from haulier.contexts.warehouse.packing.contract.plans import (
    PackingAnswer,
    PackingObjective,
    PackingPlanDetail,
    PackingQuestion,
)
from haulier.contexts.warehouse.plan_searches.rules import PlanSearchKind, PlanSearchState
from haulier.contexts.warehouse.products.contract import LENGTH_MAX_MM, WEIGHT_MAX_G
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import EachOnce, RecordId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.solvers.loading.plan import LoadingState
from haulier.solvers.packing.plan import ProofState
from haulier.solvers.stocking.plan import UnfitReason

SEARCH_PIECES_MAX = 1000
SEARCH_SECONDS_MAX, SEARCH_STEPS_MAX, SEED_MAX = 600, 100_000_000, 1_000_000


class SearchBudgetFields(Request):
    """Search time and seed."""

    seconds: int = Field(default=60, ge=1, le=SEARCH_SECONDS_MAX)
    """Maximum search time in seconds from the start of the worker. With `steps`, the search is cut short after it."""
    steps: int | None = Field(default=None, ge=1, le=SEARCH_STEPS_MAX)
    """Number of search steps. The same request, seed and steps give the same plan, unless the search is cut short."""
    seed: int = Field(default=0, ge=0, le=SEED_MAX)
    """Another seed tries other arrangements."""


class StartPackingSearch(PackingQuestion, SearchBudgetFields):
    """A packing request and its search time."""


class StartLoadSearch(LoadingQuestion, SearchBudgetFields):
    """A loading request and its search time."""


class PlanSearchRef(Request):
    """Reference to a search."""

    plan_search_id: RecordId = Field(examples=[17])
    """ID of the search, as returned when it was started."""


class ListPlanSearches(PageRequest):
    """Filters for searches, newest first."""

    kind: PlanSearchKind | None = None
    """Filter by use: packing plans, load plans or carton advice."""
    state: PlanSearchState | None = None
    """Filter by state."""


class ListPlanSearchSteps(PlanSearchRef):
    """A search and a cursor for its steps."""

    cursor: str | None = Field(default=None, max_length=200, examples=["WzNd"])
    """`next_cursor` of the previous response. Only later entries are returned."""


class CommitPlanSearch(PlanSearchRef):
    """A search, and the order or shipment for its plan. Load plans use their route."""

    order_id: RecordId | None = None
    """A packing plan: for which order."""
    shipment_id: RecordId | None = None
    """ID of the shipment, instead of an order."""


KINDS_MAX = 50


class StartCartonAdvice(SearchBudgetFields):
    """Orders to learn from, and limits for the cartons."""

    from_day: Day = Field(examples=["2026-01-01"])
    """First day of the period, in the business's time zone."""
    to_day: Day = Field(examples=["2026-06-10"])
    """The last day."""
    most: int = Field(default=10, ge=1, le=KINDS_MAX)
    """Maximum number of kinds of cartons."""
    keep_carton_ids: Annotated[set[RecordId], Field(max_length=KINDS_MAX), EachOnce] = set()
    """Carton types to keep regardless of their benefit."""
    new_sizes: bool = True
    """If true, sizes that are not in the catalogue can be advised."""
    rounding: Literal["cm", "inch"] = "cm"
    """New sizes inside are whole centimetres or whole inches."""
    wall_mm: int = Field(default=8, ge=0, le=100)
    """Difference between outer and inner length, width and height of a new carton, in millimetres."""
    payload_g: int = Field(default=30_000, ge=1, le=WEIGHT_MAX_G)
    """Maximum contents of a new carton, in grams."""
    longest_mm: int = Field(default=LENGTH_MAX_MM, ge=1, le=LENGTH_MAX_MM)
    """Maximum outer length of a new carton."""
    girth_mm: int | None = Field(default=None, ge=1, le=5 * LENGTH_MAX_MM)
    """Maximum length plus girth (longest side plus twice the other two). null: no limit."""
    board_cost_minor: int = Field(default=0, ge=0, le=COST_MAX_MINOR)
    """Cost of a square metre of carton surface, in minor units."""
    minimise: Literal["volume", "cost"] = "volume"
    """Total to minimise: outer volume or cost."""
    target_utilization_percent: int = Field(default=100, ge=1, le=100)
    """Maximum share of a carton's inner volume that items fill."""
    fill_voids: bool = True
    """If true, fill empty space with the given or default filling. Its weight and cost are included."""
    filling_id: RecordId | None = None
    """ID of the filling to use instead of the default."""
    wall_cushion_mm: Cushion | None = None
    """Filling along walls, floor and lid, in millimetres. Default: the filling's own setting."""


class AdviceTotals(Priced):
    """Objective values: orders without a carton, and the sum over all others."""

    orders_without_carton: int
    outer_volume_mm3: Annotated[int | None, doc("Total outer volume; null if costs are minimised.")]
    cost_minor: Annotated[int | UnsetType, price(SHIPPING, "Total cost including filling, if costs are minimised.")] = (
        UNSET
    )


class AdviceScore(Answer):
    """An advice in numbers."""

    state: Annotated[ProofState, doc("Proof state of the advice.")]
    objective: AdviceTotals
    bound: Annotated[AdviceTotals, doc("Lower bound: no choice is better.")]


class AdvisedCarton(Priced):
    """A kind of carton to stock."""

    carton_id: Annotated[int | None, doc("Kind of carton of the catalogue; null for a new size.")]
    code: str | None
    inner_mm: Annotated[list[int], doc("Inner length, width and height.")]
    outer_mm: Annotated[list[int], doc("Outer length, width and height.")]
    payload_g: int
    orders: Annotated[int, doc("Number of orders that fit into the carton.")]
    cost_minor: Annotated[int | UnsetType, price(SHIPPING, "Cost per item, in minor units.")] = UNSET


class OrdersWithoutCarton(Answer):
    """Orders that go into no carton of the advice, and why."""

    reason: UnfitReason
    message: str
    orders: int


class AdviceToday(Priced):
    """The catalogue of today beside the advice, over the orders that both can take."""

    cartons: int
    orders_without_carton: int
    compared_orders: int
    outer_volume_mm3: int
    advised_outer_volume_mm3: int
    saved_percent: Annotated[
        int, doc("Saved share of the outer volume in percent, rounded down; negative if the advice needs more.")
    ]
    cost_minor: Annotated[int | UnsetType, price(SHIPPING, "Cost of the current cartons, including filling.")] = UNSET
    advised_cost_minor: Annotated[
        int | UnsetType, price(SHIPPING, "Cost of the advised cartons, including filling.")
    ] = UNSET


class CartonAdvice(Answer):
    """Kinds of cartons to stock, and the expected saving."""

    state: Annotated[ProofState, doc("optimal: no choice is better; best_found: nothing below `bound` is possible.")]
    message: str
    orders: Annotated[int, doc("Number of evaluated orders.")]
    orders_without_size: Annotated[int, doc("Number of skipped orders with an item of unknown size.")]
    more_orders: Annotated[bool, doc("True if the period had more orders; only the newest are included.")]
    objective: AdviceTotals
    bound: Annotated[AdviceTotals, doc("Lower bound: no choice is better.")]
    cartons: list[AdvisedCarton]
    without_carton: list[OrdersWithoutCarton]
    today: AdviceToday


class PackingScore(Answer):
    """A packing plan in numbers."""

    state: Annotated[ProofState, doc("Proof state of the plan.")]
    objective: PackingObjective | None
    bound: Annotated[PackingObjective | None, doc("Lower bound: no plan is better.")]


class LoadScore(Answer):
    """A load plan in numbers."""

    state: Annotated[LoadingState, doc("State of the plan.")]
    objective: LoadObjective
    bound: Annotated[LoadBound, doc("Lower bound: no plan is better.")]


class PlanSearchFault(Answer):
    """Why a search failed."""

    code: str
    message: str


class PlanSearchSummary(Answer):
    """A search, without its plan."""

    id: Annotated[int | None, doc("ID of the search; null in a dry run.")]
    kind: PlanSearchKind
    state: PlanSearchState
    pieces: int
    seconds: Annotated[int, doc("Maximum search time in seconds.")]
    steps: Annotated[int | None, doc("Maximum number of steps; null if only time is limited.")]
    seed: int
    steps_done: int
    progress_percent: Annotated[int, doc("Share of time or steps used, in percent, rounded down.")]
    improvements: Annotated[int, doc("Number of improvements.")]
    cut_short: Annotated[bool, doc("True if time ran out before the steps were done; another run can differ.")]
    packing_score: Annotated[PackingScore | None, doc("Objective of the best packing plan so far.")]
    load_score: Annotated[LoadScore | None, doc("Objective of the best load plan so far.")]
    advice_score: Annotated[AdviceScore | None, doc("Totals of the best carton advice so far.")]
    fault: PlanSearchFault | None
    created_at: datetime
    created_by: int | None
    started_at: datetime | None
    updated_at: datetime
    finished_at: datetime | None


class PlanSearch(PlanSearchSummary):
    """A search with the best plan so far."""

    packing_plan: Annotated[PackingAnswer | None, doc("Best packing plan so far.")]
    load_plan: Annotated[LoadAnswer | None, doc("Best load plan so far.")]
    carton_advice: Annotated[CartonAdvice | None, doc("Best carton advice so far.")]


class PlanSearchAnswer(Answer):
    """One search."""

    result: bool = True
    search: PlanSearch


class PlanSearchList(PagedAnswer):
    """A page of searches, newest first."""

    searches: list[PlanSearchSummary]


class PlanSearchStep(Answer):
    """A better plan, or the end of the search with its final state."""

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
