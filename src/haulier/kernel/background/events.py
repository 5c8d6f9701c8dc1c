"""Domain events: published by a context, handled by subscribers in other contexts.

An event is a frozen record named in the past tense, declared in a context's `events.py`. Publishing writes it to the
outbox in the caller's transaction. After the commit, each subscriber receives it at least once in a separate job.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct

from haulier.kernel.background.names import handler_name


class DomainEvent(Struct, frozen=True, kw_only=True):
    """Something that happened inside one client."""


E = TypeVar("E", bound=DomainEvent)
SubscriberFunction = Callable[[Any, E], Awaitable[None]]


class Subscriber(Struct, Generic[E], frozen=True):
    """A handler of one kind of event, with the name stored in its jobs."""

    name: str
    event: type[E]
    handler: SubscriberFunction[E]


def subscriber(event: type[E]) -> Callable[[SubscriberFunction[E]], Subscriber[E]]:
    """Subscribe `async (call, event)` to an event.

    It runs in its own transaction and may run twice.
    """

    def declare(handler: SubscriberFunction[E]) -> Subscriber[E]:
        return Subscriber(handler_name(handler), event, handler)

    return declare


PreCommitFunction = Callable[[Any, Sequence[DomainEvent]], Awaitable[None]]


class PreCommitHook(Struct, frozen=True):
    """A handler called before the commit with the events of a transaction.

    It is called once with all published events of its kinds.
    """

    name: str
    events: tuple[type[DomainEvent], ...]
    handler: PreCommitFunction


def before_commit(*events: type[DomainEvent]) -> Callable[[PreCommitFunction], PreCommitHook]:
    """Declare `async (call, events)` to run before a commit with such events.

    It receives only those events; `DomainEvent` stands for all. Its writes are part of the same commit.
    """

    def declare(handler: PreCommitFunction) -> PreCommitHook:
        return PreCommitHook(handler_name(handler), events, handler)

    return declare
