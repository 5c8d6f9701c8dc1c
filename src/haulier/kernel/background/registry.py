"""Registry of background work.

It holds jobs, subscribers, periodic tasks, pre-commit hooks and streams.
"""

from collections.abc import Iterable
from typing import Any

from haulier.kernel.background.events import DomainEvent, PreCommitHook, Subscriber
from haulier.kernel.background.jobs import JobType
from haulier.kernel.background.periodic import PeriodicTask
from haulier.kernel.background.streams import StreamType


class BackgroundRegistry:
    """Background work by kind, event and name."""

    def __init__(
        self,
        job_types: Iterable[JobType[Any]],
        subscribers: Iterable[Subscriber[Any]],
        periodic_tasks: Iterable[PeriodicTask] = (),
        pre_commit_hooks: Iterable[PreCommitHook] = (),
        stream_types: Iterable[StreamType[Any]] = (),
    ) -> None:
        self.periodic_tasks = tuple(periodic_tasks)
        self._pre_commit_hooks = tuple(pre_commit_hooks)
        self._hooks_of: dict[type[DomainEvent], tuple[PreCommitHook, ...]] = {}
        self.job_types = {job_type.kind: job_type for job_type in job_types}
        self.stream_types = {stream_type.kind: stream_type for stream_type in stream_types}
        self.subscribers: dict[str, Subscriber[Any]] = {}
        for subscriber in subscribers:
            if self.subscribers.setdefault(subscriber.name, subscriber) is not subscriber:
                raise ValueError(f"two subscribers have the name {subscriber.name}")
        self._subscribers_of: dict[type[DomainEvent], list[Subscriber[Any]]] = {}
        for subscriber in self.subscribers.values():
            self._subscribers_of.setdefault(subscriber.event, []).append(subscriber)

    def subscribers_of(self, event: type[DomainEvent]) -> list[Subscriber[Any]]:
        """Return the subscribers of an event, including those of every event."""
        return [*self._subscribers_of.get(event, ()), *self._subscribers_of.get(DomainEvent, ())]

    def hooks_of(self, event: type[DomainEvent]) -> tuple[PreCommitHook, ...]:
        """Return the pre-commit hooks of an event in order of declaration."""
        hooks = self._hooks_of.get(event)
        if hooks is None:
            hooks = tuple(hook for hook in self._pre_commit_hooks if issubclass(event, hook.events))
            self._hooks_of[event] = hooks
        return hooks
