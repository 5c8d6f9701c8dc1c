"""A state machine as one table: which action leads from which status to which. Drawn and checked from the table alone."""

from collections.abc import Callable, Collection, Mapping
from enum import Enum
from typing import Generic, TypeVar

Status = TypeVar("Status", bound=Enum)
Action = TypeVar("Action", bound=Enum)


class StateMachine(Generic[Status, Action]):
    """The life of one kind of record.

    `transitions` says for each action from which status it leads to which; what is not there cannot be done. `created` says
    in which status a record begins, and by what. `error` makes the error of an action that cannot be done, from the action
    and the status. `label` is how a status is written in the drawing; `draws_stays` draws actions that change no status, too.
    """

    def __init__(
        self,
        transitions: Mapping[Action, Mapping[Status, Status]],
        *,
        created: Mapping[Status, str],
        error: Callable[[Action, Status], Exception],
        label: Callable[[Status], str] = lambda status: str(status.value),
        draws_stays: bool = False,
    ) -> None:
        self.transitions = transitions
        self.created = created
        self.statuses: Collection[Status] = tuple(type(next(iter(created))))
        self._error = error
        self._label = label
        self._draws_stays = draws_stays

    @property
    def terminal(self) -> frozenset[Status]:
        """The statuses that nothing leads out of; an action that stays where it is does not count."""
        leaving = {start for moves in self.transitions.values() for start, end in moves.items() if start is not end}
        return frozenset(self.statuses) - leaving

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

    def allowing(self, *actions: Action) -> frozenset[Status]:
        """The statuses in which any of some actions can be done."""
        return frozenset(start for action in actions for start in self.transitions[action])

    def mermaid(self) -> str:
        """The table as a Mermaid state diagram."""
        lines = ["stateDiagram-v2"]
        lines += [f"    [*] --> {self._label(start)}{f': {by}' if by else ''}" for start, by in self.created.items()]
        for action, moves in self.transitions.items():
            for start in self.statuses:
                end = moves.get(start)
                if end is not None and (end is not start or self._draws_stays):
                    lines.append(f"    {self._label(start)} --> {self._label(end)}: {action.value}")
        lines += [f"    {self._label(end)} --> [*]" for end in self.statuses if end in self.terminal]
        return "\n".join(lines) + "\n"
