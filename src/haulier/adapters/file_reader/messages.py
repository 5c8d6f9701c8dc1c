"""Length-prefixed msgpack messages between the server and a reader process."""

from struct import pack, unpack
from typing import IO, Any, Literal

import msgspec

from haulier.kernel.file_reading import FileLimit, ReadingLimits

LENGTH_FORMAT = ">Q"
IDLE_S = 60
"""Idle time after which a reader exits, in seconds."""


class ReadFile(msgspec.Struct, frozen=True):
    """Request to a reader: a file and the name of the job that parses it."""

    job: str
    content: bytes
    question: bytes
    limits: ReadingLimits


class FileAnswer(msgspec.Struct, frozen=True):
    """Result of a job.

    `text` is the code of an unreadable file, or the location of a failure.
    """

    kind: Literal["read", "limit", "unreadable", "failed"]
    body: bytes = b""
    text: str = ""
    limit: FileLimit | None = None
    most: int = 0


def send_message(pipe: IO[bytes], message: msgspec.Struct) -> None:
    """Write a length-prefixed message."""
    body = msgspec.msgpack.encode(message)
    pipe.write(pack(LENGTH_FORMAT, len(body)))
    pipe.write(body)
    pipe.flush()


def receive_message(pipe: IO[bytes], kind: type[msgspec.Struct]) -> Any:
    """Read a message. Raises `EOFError` if the pipe is closed."""
    (length,) = unpack(LENGTH_FORMAT, _exactly(pipe, 8))
    return msgspec.msgpack.decode(_exactly(pipe, length), type=kind)


def _exactly(pipe: IO[bytes], count: int) -> bytes:
    body = pipe.read(count)
    if len(body) < count:
        raise EOFError
    return body
