"""Domain events: what a context publishes and others may subscribe to.

An event is a frozen record in the past tense, declared in a context's `events.py`. Publishing writes it to the outbox in the
caller's transaction; each subscriber then gets it in a job of its own, at least once, after the commit.
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
    """A handler of one kind of event, with the name that its jobs store."""

    name: str
    event: type[E]
    handler: SubscriberFunction[E]


def subscriber(event: type[E]) -> Callable[[SubscriberFunction[E]], Subscriber[E]]:
    """Subscribe a function `async (call, event)` to an event; it runs in its own transaction and may run twice."""

    def declare(handler: SubscriberFunction[E]) -> Subscriber[E]:
        return Subscriber(handler_name(handler), event, handler)

    return declare


PreCommitFunction = Callable[[Any, Sequence[DomainEvent]], Awaitable[None]]


class PreCommitHook(Struct, frozen=True):
    """A handler of all events of some kinds that one transaction published, called once and within it, before the commit."""

    name: str
    events: tuple[type[DomainEvent], ...]
    handler: PreCommitFunction


def before_commit(*events: type[DomainEvent]) -> Callable[[PreCommitFunction], PreCommitHook]:
    """Declare a function `async (call, events)` that runs before the commit where one of these events was published.

    It gets those events alone; `DomainEvent` stands for all. What it writes is committed with the rest.
    """

    def declare(handler: PreCommitFunction) -> PreCommitHook:
        return PreCommitHook(handler_name(handler), events, handler)

    return declare
