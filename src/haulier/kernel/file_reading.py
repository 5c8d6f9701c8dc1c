"""Port of the file readers: parse foreign files in child processes.

A reading job is a pure function of a file, a question and limits. It runs in a child process with limits on memory and
time and returns a typed result (docs/decisions/files.md).
"""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct

Q = TypeVar("Q", contravariant=True)
A = TypeVar("A", covariant=True)
MEGABYTE = 1_000_000
ROWS_PER_CHUNK = 500


class FileLimit(StrEnum):
    """A limit that a file can exceed.

    The value is part of the error code: `FILE_LIMIT_CELLS`.
    """

    MEMORY = "memory"
    TIME = "time"
    CELLS = "cells"
    PIXELS = "pixels"
    UNPACKED = "unpacked"


class ReadingLimits(Struct, frozen=True, kw_only=True):
    """Limits of one reading. Memory is counted on top of an idle reader's."""

    memory_mb: int = 512
    seconds: int = 20
    cells: int = 5_000_000
    """Rows times columns of a table, including empty cells."""
    pixels: int = 50_000_000
    unpacked_mb: int = 200
    """Size of an unpacked archive."""


class FileLimitReached(Exception):
    """Raised when reading a file exceeds a limit.

    `most` is in the limit's unit (MB, seconds, cells, pixels).
    """

    def __init__(self, limit: FileLimit, most: int) -> None:
        super().__init__(f"{limit}: {most}")
        self.limit, self.most = limit, most


class UnreadableFile(ValueError):
    """Raised for a file that is not of its stated type. `code` is a message id."""

    def __init__(self, code: str = "") -> None:
        super().__init__(code)
        self.code = code


class ReaderStopped(Exception):
    """Raised when two readers in a row died while reading a file."""


class ReadingJob(Generic[Q, A]):
    """A function that reads files in a reader process, under its limits."""

    def __init__(
        self,
        read: Callable[[bytes, Q, ReadingLimits], A],
        question: Any,
        answer: Any,
        limits: ReadingLimits,
        slow: bool,
    ) -> None:
        self.name = f"{read.__module__}:{read.__name__}"
        self.read, self.question, self.answer, self.limits, self.slow = read, question, answer, limits, slow


def reading_job(
    *, question: Any, answer: Any, limits: ReadingLimits | None = None, slow: bool = False
) -> Callable[[Callable[[bytes, Q, ReadingLimits], A]], ReadingJob[Q, A]]:
    """Declare a reading job.

    msgspec encodes question and answer. `slow` jobs have a separate reader.
    """

    def declare(read: Callable[[bytes, Q, ReadingLimits], A]) -> ReadingJob[Q, A]:
        return ReadingJob(read, question, answer, limits or ReadingLimits(), slow)

    return declare


class FileReader(Protocol):
    """Runs reading jobs in child processes."""

    async def read(self, job: ReadingJob[Q, A], content: bytes, question: Q, limits: ReadingLimits | None = None) -> A:
        """Read a file. Raises `UnreadableFile`, `FileLimitReached` and `ReaderStopped`."""
        ...


class PackedRows(Struct, frozen=True):
    """Rows of a file in encoded chunks, which need less memory than objects."""

    chunks: tuple[bytes, ...]
    total: int

    def __iter__(self) -> Iterator[Any]:
        for chunk in self.chunks:
            yield from msgspec.msgpack.decode(chunk)


def pack_rows(rows: Iterable[Any]) -> PackedRows:
    """Encode rows for transfer to the server."""
    chunks, total, waiting = list[bytes](), 0, iter(rows)
    while some := list(islice(waiting, ROWS_PER_CHUNK)):
        chunks.append(msgspec.msgpack.encode(some))
        total += len(some)
    return PackedRows(tuple(chunks), total)
