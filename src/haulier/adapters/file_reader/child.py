"""Reader process, which parses one file at a time under resource limits."""

import os
import select
import sys
import traceback
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_AS, RLIMIT_CORE, RLIMIT_CPU, RUSAGE_SELF, getrlimit, getrusage, setrlimit
from typing import Any

import msgspec

from haulier.adapters.file_reader.messages import IDLE_S, FileAnswer, ReadFile, receive_message, send_message
from haulier.kernel.file_reading import (
    MEGABYTE,
    FileLimit,
    FileLimitReached,
    ReadingJob,
    ReadingLimits,
    UnreadableFile,
)

NICENESS = 5
"""Gives the server a higher priority than the readers (see nice(1))."""
MAX_GROWTH_BYTES = 256 * MEGABYTE
"""Growth of memory since the first file after which a reader exits, to release the memory."""


def main() -> None:
    """Answer requests until the pipe closes."""
    os.nice(NICENESS)
    setrlimit(RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # libraries that print must not corrupt the response stream
    first: int | None = None
    with suppress(EOFError, BrokenPipeError):
        while select.select([sys.stdin], [], [], IDLE_S)[0]:
            send_message(answers, _answer(receive_message(sys.stdin.buffer, ReadFile)))
            _, resident = _memory_bytes()
            first = first or resident
            if resident > first + MAX_GROWTH_BYTES:
                return


def _answer(asked: ReadFile) -> FileAnswer:
    try:
        module, _, name = asked.job.partition(":")
        job: ReadingJob[Any, Any] = getattr(import_module(module), name)
        question = msgspec.msgpack.decode(asked.question, type=job.question)
        with _limited(asked.limits):
            return FileAnswer("read", msgspec.msgpack.encode(job.read(asked.content, question, asked.limits)))
    except FileLimitReached as reached:
        return FileAnswer("limit", limit=reached.limit, most=reached.most)
    except UnreadableFile as fault:
        return FileAnswer("unreadable", text=fault.code)
    except MemoryError:
        return FileAnswer("limit", limit=FileLimit.MEMORY, most=asked.limits.memory_mb)
    except BaseException as fault:  # a damaged file can raise anything, including a Rust panic
        return FileAnswer("failed", text=_place_of(fault))


def _place_of(fault: BaseException) -> str:
    """Return the type and location of an exception.

    The message is omitted because it can contain data from the file.
    """
    frames = traceback.extract_tb(fault.__traceback__)
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
    return f"{type(fault).__name__} at {where}"


@contextmanager
def _limited(limits: ReadingLimits) -> Generator[None]:
    """Limit the memory and CPU time of the block.

    The operating system kills a process that exceeds its CPU time.
    """
    virtual, _ = _memory_bytes()
    used = getrusage(RUSAGE_SELF)
    cpu_s = int(used.ru_utime + used.ru_stime) + 1 + limits.seconds
    before = {which: getrlimit(which) for which in (RLIMIT_AS, RLIMIT_CPU)}
    _set_soft(RLIMIT_AS, virtual + limits.memory_mb * MEGABYTE, before[RLIMIT_AS][1])
    _set_soft(RLIMIT_CPU, cpu_s, before[RLIMIT_CPU][1])
    try:
        yield
    finally:
        for which, (soft, hard) in before.items():
            _set_soft(which, soft, hard)


def _set_soft(which: int, soft: int, hard: int) -> None:
    with suppress(OSError, ValueError):  # some systems cannot limit memory
        setrlimit(which, (soft if hard == RLIM_INFINITY or soft < 0 else min(soft, hard), hard))


def _memory_bytes() -> tuple[int, int]:
    """Return the virtual and resident memory of this process."""
    try:
        pages = Path("/proc/self/statm").read_text().split()
        size = os.sysconf("SC_PAGESIZE")
        return int(pages[0]) * size, int(pages[1]) * size
    except OSError:
        return 4_000 * MEGABYTE, 0


if __name__ == "__main__":
    main()
