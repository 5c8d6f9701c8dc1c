"""The requests of plan searches."""

from pydantic import Field

from haulier.contexts.warehouse.load_plans.contract.plans import LoadingQuestion
from haulier.contexts.warehouse.packing.contract.plans import PackingQuestion
from haulier.contexts.warehouse.plan_searches.rules.kinds import PlanSearchKind
from haulier.contexts.warehouse.plan_searches.rules.lifecycle import PlanSearchState
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.pagination import PageRequest

SEARCH_PIECES_MAX = 1000
SEARCH_SECONDS_MAX, SEARCH_STEPS_MAX, SEED_MAX = 600, 100_000_000, 1_000_000


class SearchBudgetFields(Request):
    """How long to search."""

    seconds: int = Field(default=60, ge=1, le=SEARCH_SECONDS_MAX)
    """At most so many seconds from the time when a worker begins. With `steps`, the search is cut short after them."""
    steps: int | None = Field(default=None, ge=1, le=SEARCH_STEPS_MAX)
    """So many steps: the same question, seed and steps give the same plan everywhere, unless the search is cut short."""
    seed: int = Field(default=0, ge=0, le=SEED_MAX)
    """Another seed tries other arrangements."""


class StartPackingSearch(PackingQuestion, SearchBudgetFields):
    """What is packed, and how long to search for the best choice of cartons."""


class StartLoadSearch(LoadingQuestion, SearchBudgetFields):
    """What is loaded, into what, and how long to search."""


class PlanSearchRef(Request):
    """Which search."""

    plan_search_id: RecordId = Field(examples=[17])
    """The id of the search, as its start answered."""


class ListPlanSearches(PageRequest):
    """Which searches, the newest first."""

    kind: PlanSearchKind | None = None
    """Only those for packing plans, for load plans, or for advice which cartons to stock."""
    state: PlanSearchState | None = None
    """Only those in this state."""


class ListPlanSearchSteps(PlanSearchRef):
    """Which steps of a search."""

    cursor: str | None = Field(default=None, max_length=200, examples=["WzNd"])
    """The `next_cursor` of the last answer: only what came after it."""


class CommitPlanSearch(PlanSearchRef):
    """The plan of a search, and what it is kept for. A load plan is kept for the route of its question."""

    order_id: RecordId | None = None
    """A packing plan: for which order."""
    shipment_id: RecordId | None = None
    """Or for which shipment."""
