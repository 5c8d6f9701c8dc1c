"""The state machine of a build."""

from enum import StrEnum

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine


class BuildState(StrEnum):
    """The state of a build. `done`: there is a plan, which may be committed; `cancelled` may have one too."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class BuildAction(StrEnum):
    """What changes the state of a build; the values are the labels of the diagram."""

    TAKE = "a worker takes it"
    IMPROVE = "a better plan"
    FINISH = "the search is over"
    FAIL = "no plan can be made"
    CANCEL = "cancel_route_build"


class ExistingRouteMode(StrEnum):
    """What happens to routes that drivers have on the day already.

    `leave`: those drivers are not planned. `extend`: their open stops stay as they are, and new ones come after.
    `rebuild`: what is neither driven nor locked is planned anew, beginning from the routes as they are.
    """

    LEAVE = "leave"
    EXTEND = "extend"
    REBUILD = "rebuild"


BUILD_IS_OVER = declare_error("build_is_over", 409)


def build_error(action: BuildAction, state: BuildState) -> OperationError:
    """The error for a build that is over."""
    return BUILD_IS_OVER()


_QUEUED, _RUNNING = BuildState.QUEUED, BuildState.RUNNING
BUILD_LIFE = StateMachine(
    {
        BuildAction.TAKE: {_QUEUED: _RUNNING},
        BuildAction.IMPROVE: {_RUNNING: _RUNNING},
        BuildAction.FINISH: {_RUNNING: BuildState.DONE},
        BuildAction.FAIL: {_RUNNING: BuildState.FAILED},
        BuildAction.CANCEL: {_QUEUED: BuildState.CANCELLED, _RUNNING: BuildState.CANCELLED},
    },
    created={_QUEUED: "build_route", BuildState.DONE: "answered at once"},
    error=build_error,
    draws_stays=True,
)
mermaid = BUILD_LIFE.mermaid
ACTIVE_BUILD_STATES = frozenset(BuildState) - BUILD_LIFE.terminal
COMMITTABLE_BUILD_STATES = frozenset({BuildState.DONE, BuildState.CANCELLED})


def effective_build_state(state: str, job_state: str | None) -> BuildState:
    """The state of a build, given the state of its job: one whose job died without writing a result has failed."""
    build_state = BuildState(state)
    return (
        BuildState.FAILED if build_state in ACTIVE_BUILD_STATES and job_state in (None, "dead", "done") else build_state
    )
