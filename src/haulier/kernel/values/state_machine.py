"""A state machine as one table: which action leads from which status to which. Drawn and checked from the table alone."""

from collections.abc import Callable, Collection, Mapping
from enum import Enum
from typing import Generic, TypeVar

Status = TypeVar("Status", bound=Enum)
Action = TypeVar("Action", bound=Enum)


class StateMachine(Generic[Status, Action]):
    """The life of one kind of record.

    `transitions` says for each action from which status it leads to which; what is not there cannot be done. `error` makes
    the error that is raised then, from the action and the status. `label` is how a status is written in the drawing.
    """

    def __init__(
        self,
        transitions: Mapping[Action, Mapping[Status, Status]],
        *,
        initial: Status,
        error: Callable[[Action, Status], Exception],
        created_by: str = "",
        label: Callable[[Status], str] = lambda status: str(status.value),
    ) -> None:
        self.transitions = transitions
        self.initial = initial
        self.statuses: Collection[Status] = tuple(type(initial))
        self._error = error
        self._created_by = created_by
        self._label = label

    @property
    def terminal(self) -> frozenset[Status]:
        """The statuses that nothing leads out of; an action that stays where it is does not count."""
        left = {start for moves in self.transitions.values() for start, end in moves.items() if start is not end}
        return frozenset(self.statuses) - left

    def next_status(self, action: Action, status: Status) -> Status | None:
        """The status that an action leads to, or None where it cannot be done."""
        return self.transitions[action].get(status)

    def next_status_or_raise(self, action: Action, status: Status) -> Status:
        """The status that an action leads to. Raises the machine's error where it cannot be done."""
        reached = self.next_status(action, status)
        if reached is None:
            raise self._error(action, status)
        return reached

    def actions(self, status: Status) -> tuple[Action, ...]:
        """What can be done in a status, in the order of the table."""
        return tuple(action for action, moves in self.transitions.items() if status in moves)

    def mermaid(self) -> str:
        """The table as a Mermaid state diagram; actions that change no status are left out."""
        by = f": {self._created_by}" if self._created_by else ""
        lines = ["stateDiagram-v2", f"    [*] --> {self._label(self.initial)}{by}"]
        for action, moves in self.transitions.items():
            ordered = [status for status in self.statuses if status in moves and moves[status] is not status]
            lines += [f"    {self._label(start)} --> {self._label(moves[start])}: {action.value}" for start in ordered]
        lines += [f"    {self._label(end)} --> [*]" for end in self.statuses if end in self.terminal]
        return "\n".join(lines) + "\n"
