"""The state machine of a plan search."""

from enum import StrEnum

from haulier.contexts.warehouse.plan_searches.errors import PLAN_SEARCH_IS_OVER
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.state_machine import StateMachine


class PlanSearchState(StrEnum):
    """The state of a plan search. `done` has an answer, also that nothing can be packed; `cancelled` may have a plan too."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class PlanSearchAction(StrEnum):
    """What changes the state of a plan search; the values are the labels of the diagram."""

    TAKE = "a worker takes it"
    IMPROVE = "a better plan"
    FINISH = "the search is over"
    FAIL = "no plan was found"
    CANCEL = "cancel_plan_search"


def plan_search_error(action: PlanSearchAction, state: PlanSearchState) -> OperationError:
    """The error for a search that is over."""
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
    """The state of a search, given the state of its job: one whose job died without writing a result has failed."""
    known = PlanSearchState(state)
    return PlanSearchState.FAILED if known in ACTIVE_STATES and job_state in (None, "dead", "done") else known
