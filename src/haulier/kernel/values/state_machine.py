"""State machines defined by one table.

Diagrams and checks are generated from the table.
"""

from collections.abc import Callable, Collection, Mapping
from enum import Enum
from typing import Generic, TypeVar

Status = TypeVar("Status", bound=Enum)
Action = TypeVar("Action", bound=Enum)


class StateMachine(Generic[Status, Action]):
    """The life cycle of one kind of record.

    `transitions` maps each action to the statuses it can start from and leads to. `created` maps initial statuses to
    their cause. `error` creates the error for an action that is not allowed in a status. `label` names a status in
    the diagram; `draws_stays` also draws actions that keep the status.
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
        """Final statuses. Actions that keep the status do not count as a way out."""
        leaving = {start for moves in self.transitions.values() for start, end in moves.items() if start is not end}
        return frozenset(self.statuses) - leaving

    def next_status(self, action: Action, status: Status) -> Status | None:
        """Return the status that an action leads to, or None if it is not allowed."""
        return self.transitions[action].get(status)

    def next_status_or_raise(self, action: Action, status: Status) -> Status:
        """Return the status that an action leads to.

        Raises the machine's error if it is not allowed.
        """
        reached = self.next_status(action, status)
        if reached is None:
            raise self._error(action, status)
        return reached

    def actions(self, status: Status) -> tuple[Action, ...]:
        """Return the actions allowed in a status, in table order."""
        return tuple(action for action, moves in self.transitions.items() if status in moves)

    def allowing(self, *actions: Action) -> frozenset[Status]:
        """Return the statuses in which any of some actions is allowed."""
        return frozenset(start for action in actions for start in self.transitions[action])

    def mermaid(self) -> str:
        """Return the table as a Mermaid state diagram."""
        lines = ["stateDiagram-v2"]
        lines += [f"    [*] --> {self._label(start)}{f': {by}' if by else ''}" for start, by in self.created.items()]
        for action, moves in self.transitions.items():
            for start in self.statuses:
                end = moves.get(start)
                if end is not None and (end is not start or self._draws_stays):
                    lines.append(f"    {self._label(start)} --> {self._label(end)}: {action.value}")
        lines += [f"    {self._label(end)} --> [*]" for end in self.statuses if end in self.terminal]
        return "\n".join(lines) + "\n"
