"""Calls of a library in a child process that is killed at a time limit.

Libraries may not respect a limit themselves. Only search processes do this, because forking a process with many threads
is unsafe.
"""

import os
import resource
import select
import signal
from collections.abc import Callable
from time import monotonic

CHUNK_BYTES = 65_536


def run_bounded(work: Callable[[], bytes], *, seconds: float | None, processor_seconds: int) -> bytes | None:
    """Return the result of `work`; None if it failed or exceeded a time limit.

    `seconds` limits wall-clock time and `processor_seconds` processor time.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _run_and_exit(work, reading, writing, processor_seconds)
    os.close(writing)
    ends = None if seconds is None else monotonic() + seconds
    answer = bytearray()
    try:
        while select.select([reading], [], [], None if ends is None else max(0.0, ends - monotonic()))[0]:
            chunk = os.read(reading, CHUNK_BYTES)
            if not chunk:
                break
            answer += chunk
        else:
            answer.clear()
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    return bytes(answer) if answer and os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL) else None


def _run_and_exit(work: Callable[[], bytes], reading: int, writing: int, processor_seconds: int) -> None:
    """Run the work in the child process; never returns."""
    code = 1
    try:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (processor_seconds, processor_seconds))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(work())
        code = 0
    finally:
        os._exit(code)
