"""Life cycle of a turn. Pure."""

from enum import StrEnum

from haulier.contexts.control_tower.agent.errors import AGENT_TURN_OVER
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.state_machine import StateMachine


class SessionStatus(StrEnum):
    """State of a conversation."""

    OPEN = "open"
    ENDED = "ended"


class TurnStatus(StrEnum):
    """State of a turn."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


class TurnAction(StrEnum):
    """Actions on a turn."""

    BEGIN = "begin"
    FINISH = "finish"
    STOP = "stop"
    FAIL = "fail"


class TurnEnd(StrEnum):
    """Reasons for ending a turn without an answer."""

    STEPS = "steps"
    TOKENS = "tokens"
    SECONDS = "seconds"
    COST = "cost"
    MODEL = "model"
    RIGHTS = "rights"
    INTERRUPTED = "interrupted"
    PERSON = "person"


class EventKind(StrEnum):
    """Kinds of events in a turn."""

    TEXT = "text"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    PROPOSAL = "proposal"
    END = "end"


def turn_error(action: TurnAction, status: TurnStatus) -> OperationError:
    """Return the error for a turn that is over."""
    return AGENT_TURN_OVER(status=status.value)


ACTIVE_TURNS = frozenset({TurnStatus.QUEUED, TurnStatus.RUNNING})
TURN_LIFE = StateMachine(
    {
        TurnAction.BEGIN: {TurnStatus.QUEUED: TurnStatus.RUNNING},
        TurnAction.FINISH: {TurnStatus.RUNNING: TurnStatus.DONE},
        TurnAction.STOP: {TurnStatus.QUEUED: TurnStatus.STOPPED, TurnStatus.RUNNING: TurnStatus.STOPPED},
        TurnAction.FAIL: {TurnStatus.QUEUED: TurnStatus.FAILED, TurnStatus.RUNNING: TurnStatus.FAILED},
    },
    created={TurnStatus.QUEUED: "send"},
    error=turn_error,
)
mermaid = TURN_LIFE.mermaid
