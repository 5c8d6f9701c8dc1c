"""Streams: small facts that come by the thousand a second, such as where devices are, on their way into the database.

`@stream("driver.positions", Args)` declares who writes one kind of them, many at once. `call.stream(kind, args)` hands one
over: with a broker it is kept there and written later, by a worker; without one the answer is False, and the caller writes it
straight. What a broker keeps is written at least once: handlers must be safe to repeat, as those of jobs.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct

A = TypeVar("A", bound=Struct)
MESSAGES_AT_ONCE = 1000
"""At most so many messages are fetched at once, and written in one transaction."""
STREAM_LANE = "streams"
"""The lane of writing what streams bring. It has no jobs."""


class StreamItem(Struct, Generic[A], frozen=True):
    """What was handed over, and when."""

    at: datetime
    args: A


StreamFunction = Callable[[Any, Sequence[StreamItem[A]]], Awaitable[None]]


class StreamType(Struct, Generic[A], frozen=True):
    """A kind of facts: its name, the type of one, and who writes many of one client, at most `at_once`, in one transaction."""

    kind: str
    args: type[A]
    handler: StreamFunction[A]
    at_once: int = MESSAGES_AT_ONCE


def stream(kind: str, args: type[A], at_once: int = MESSAGES_AT_ONCE) -> Callable[[StreamFunction[A]], StreamType[A]]:
    """Declare the handler `async (call, items)` of one kind of facts; it must be safe to repeat, in any order."""

    def declare(handler: StreamFunction[A]) -> StreamType[A]:
        return StreamType(kind, args, handler, at_once)

    return declare


class StreamMessage(Struct, frozen=True, kw_only=True):
    """A fact on its way. Equal facts have the same `id`, so a device that sends one again is heard once."""

    id: str
    client_id: int
    kind: str
    at: datetime
    args: Any


def make_message(kind: str, client_id: int, at: datetime, args: Struct) -> StreamMessage:
    """A message, named by what it says and not by when."""
    plain = msgspec.to_builtins(args)
    content = msgspec.json.encode([kind, client_id, plain])
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    return StreamMessage(id=digest, client_id=client_id, kind=kind, at=at, args=plain)


class StreamUnavailable(Exception):
    """The broker cannot be asked right now."""


class StreamDelivery(Protocol):
    """A message that a broker lends: it comes again unless it is acknowledged."""

    @property
    def message(self) -> StreamMessage: ...

    async def acknowledge(self) -> None:
        """It is written: do not bring it again."""
        ...

    async def give_back(self) -> None:
        """It could not be written: bring it again, a while later."""
        ...


class FactStream(Protocol):
    """Takes facts, and brings them to those who write them."""

    @property
    def keeps(self) -> bool:
        """Whether there is a broker, so that somebody has to fetch."""
        ...

    async def send(self, message: StreamMessage) -> bool:
        """Keep a message. False when it is not kept, so that the caller writes it; then it may nevertheless come once more."""
        ...

    async def fetch(self, most: int, wait_s: float) -> Sequence[StreamDelivery]:
        """Up to so many messages; none when none came for so long. Raises `StreamUnavailable`."""
        ...

    async def close(self) -> None:
        """Let the broker go."""
        ...


class DirectStream:
    """No broker: everything is written straight."""

    keeps = False

    async def send(self, message: StreamMessage) -> bool:
        """Nothing is kept."""
        return False

    async def fetch(self, most: int, wait_s: float) -> Sequence[StreamDelivery]:
        """Nothing comes."""
        return ()

    async def close(self) -> None:
        """There is nothing to let go."""
