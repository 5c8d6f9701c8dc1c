"""The port of the file readers: foreign files are parsed in processes of their own, and the server sees typed results.

A reading job is a pure function of a file, a question and limits. It runs in a child process with limits on memory and
time (docs/decisions/0163-files-are-read-in-other-processes.md).
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
    """A limit that a file can exceed. The value is part of the error code: `FILE_LIMIT_CELLS`."""

    MEMORY = "memory"
    TIME = "time"
    CELLS = "cells"
    PIXELS = "pixels"
    UNPACKED = "unpacked"


class ReadingLimits(Struct, frozen=True, kw_only=True):
    """Bounds of one reading. Memory is counted on top of what an idle reader has."""

    memory_mb: int = 512
    seconds: int = 20
    cells: int = 5_000_000
    """Rows times columns of a table, also of a sheet whose cells are far apart."""
    pixels: int = 50_000_000
    unpacked_mb: int = 200
    """Bytes that a compressed file may unpack to."""


class FileLimitReached(Exception):
    """A file whose reading reached a limit; `most` is in the limit's own unit (MB, seconds, cells, pixels)."""

    def __init__(self, limit: FileLimit, most: int) -> None:
        super().__init__(f"{limit}: {most}")
        self.limit, self.most = limit, most


class UnreadableFile(ValueError):
    """A file that is not of its stated type. `code` is a message id."""

    def __init__(self, code: str = "") -> None:
        super().__init__(code)
        self.code = code


class ReaderStopped(Exception):
    """Two readers in turn ended while they read a file."""


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
    """Declare a reading job. Question and answer are types that msgspec encodes; `slow` jobs have a reader of their own."""

    def declare(read: Callable[[bytes, Q, ReadingLimits], A]) -> ReadingJob[Q, A]:
        return ReadingJob(read, question, answer, limits or ReadingLimits(), slow)

    return declare


class FileReader(Protocol):
    """Runs reading jobs in child processes."""

    async def read(self, job: ReadingJob[Q, A], content: bytes, question: Q, limits: ReadingLimits | None = None) -> A:
        """Read a file. Raises `UnreadableFile`, `FileLimitReached` and `ReaderStopped`."""
        ...


class PackedRows(Struct, frozen=True):
    """Rows of a file, encoded by the hundred, so that a large file is never in the server's memory as objects at once."""

    chunks: tuple[bytes, ...]
    total: int

    def __iter__(self) -> Iterator[Any]:
        for chunk in self.chunks:
            yield from msgspec.msgpack.decode(chunk)


def pack_rows(rows: Iterable[Any]) -> PackedRows:
    """Encode rows for their way to the server."""
    chunks, total, waiting = list[bytes](), 0, iter(rows)
    while some := list(islice(waiting, ROWS_PER_CHUNK)):
        chunks.append(msgspec.msgpack.encode(some))
        total += len(some)
    return PackedRows(tuple(chunks), total)
