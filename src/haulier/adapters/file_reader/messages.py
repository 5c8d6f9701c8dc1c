"""Messages between the server and a reader process: msgpack with its length before it."""

from struct import pack, unpack
from typing import IO, Any, Literal

import msgspec

from haulier.kernel.file_reading import FileLimit, ReadingLimits

LENGTH_FORMAT = ">Q"
IDLE_S = 60
"""A reader that has had nothing to do for so long ends."""


class ReadFile(msgspec.Struct, frozen=True):
    """A file on its way to a reader, with the name of the job that reads it."""

    job: str
    content: bytes
    question: bytes
    limits: ReadingLimits


class FileAnswer(msgspec.Struct, frozen=True):
    """The result of a reading. `text` is the code of an unreadable file, or the place of a failure."""

    kind: Literal["read", "limit", "unreadable", "failed"]
    body: bytes = b""
    text: str = ""
    limit: FileLimit | None = None
    most: int = 0


def send_message(pipe: IO[bytes], message: msgspec.Struct) -> None:
    """Write a message with its length before it."""
    body = msgspec.msgpack.encode(message)
    pipe.write(pack(LENGTH_FORMAT, len(body)))
    pipe.write(body)
    pipe.flush()


def receive_message(pipe: IO[bytes], kind: type[msgspec.Struct]) -> Any:
    """Read a message. Raises `EOFError` where the other side is gone."""
    (length,) = unpack(LENGTH_FORMAT, _exactly(pipe, 8))
    return msgspec.msgpack.decode(_exactly(pipe, length), type=kind)


def _exactly(pipe: IO[bytes], count: int) -> bytes:
    body = pipe.read(count)
    if len(body) < count:
        raise EOFError
    return body
