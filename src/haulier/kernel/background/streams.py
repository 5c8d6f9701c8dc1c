"""Streams of small, frequent facts, such as device positions.

`@stream("driver.positions", Args)` declares the handler that writes many facts of a kind. `call.stream(kind, args)`
sends one to the broker, from which a worker writes it later. Without a broker it returns False, and the caller writes
the fact directly. Facts are written at least once, so handlers must be safe to repeat.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct

A = TypeVar("A", bound=Struct)
MESSAGES_AT_ONCE = 1000
"""Maximum number of messages fetched at once and written in one transaction."""
STREAM_QUEUE = "streams"
"""The lane for stream writers. It has no jobs."""


class StreamItem(Struct, Generic[A], frozen=True):
    """A fact and when it was sent."""

    at: datetime
    args: A


StreamFunction = Callable[[Any, Sequence[StreamItem[A]]], Awaitable[None]]


class StreamType(Struct, Generic[A], frozen=True):
    """A kind of fact: name, type, handler and the maximum number per transaction."""

    kind: str
    args: type[A]
    handler: StreamFunction[A]
    at_once: int = MESSAGES_AT_ONCE


def stream(kind: str, args: type[A], at_once: int = MESSAGES_AT_ONCE) -> Callable[[StreamFunction[A]], StreamType[A]]:
    """Declare the handler `async (call, items)` of a kind of fact.

    It must be safe to repeat in any order.
    """

    def declare(handler: StreamFunction[A]) -> StreamType[A]:
        return StreamType(kind, args, handler, at_once)

    return declare


class StreamMessage(Struct, frozen=True, kw_only=True):
    """A fact on its way. Equal facts have the same `id`, so repeats are dropped."""

    id: str
    client_id: int
    kind: str
    at: datetime
    args: Any


def make_message(kind: str, client_id: int, at: datetime, args: Struct) -> StreamMessage:
    """Return a message whose id depends on its content, not on its time."""
    plain = msgspec.to_builtins(args)
    content = msgspec.json.encode([kind, client_id, plain])
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    return StreamMessage(id=digest, client_id=client_id, kind=kind, at=at, args=plain)


class StreamUnavailable(Exception):
    """Raised when the broker is unavailable."""


class StreamDelivery(Protocol):
    """A message on loan from the broker, redelivered unless it is acknowledged."""

    @property
    def message(self) -> StreamMessage: ...

    async def acknowledge(self) -> None:
        """Confirm that the message was written."""
        ...

    async def return_message(self) -> None:
        """Return the message for a later redelivery."""
        ...


class FactStream(Protocol):
    """A stream that accepts facts and delivers them to writers."""

    @property
    def keeps(self) -> bool:
        """True if there is a broker to fetch from."""
        ...

    async def send(self, message: StreamMessage) -> bool:
        """Store a message.

        Returns False if the caller must write it. The message may still be delivered afterwards.
        """
        ...

    async def fetch(self, most: int, wait_s: float) -> Sequence[StreamDelivery]:
        """Return up to `most` messages, waiting at most `wait_s`.

        Raises `StreamUnavailable`.
        """
        ...

    async def close(self) -> None:
        """Disconnect from the broker."""
        ...


class DirectStream:
    """A stream without a broker: callers write every fact directly."""

    keeps = False

    async def send(self, message: StreamMessage) -> bool:
        """Return False, because nothing is stored."""
        return False

    async def fetch(self, most: int, wait_s: float) -> Sequence[StreamDelivery]:
        """Return no messages."""
        return ()

    async def close(self) -> None:
        """Do nothing."""
