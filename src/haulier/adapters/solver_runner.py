"""Route searches outside the event loop.

Each search runs in a process of its own, or in a thread of this one. A process takes about half a second to start, but
the server stays responsive and a search can be killed. A search whose server was killed ends by itself, because its
input closes.
"""

import asyncio
import mmap
import os
import pickle
import signal
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from itertools import accumulate
from struct import pack, unpack
from typing import BinaryIO

import msgspec

from haulier.contexts.planning.ports import OnBetterPlan, SolverRun, SolverRunFailed
from haulier.solvers.routing.plan import RoutingPlan

PROGRESS_INTERVAL_S = 1.0
"""Interval at which a search without a better plan checks whether to continue."""
NICENESS = 5
"""Niceness of a search, which gives the server priority (see nice(1))."""
MAX_STDERR_BYTES = 2000
WORKERS_PER_SEARCH = 2
"""Number of processors that a search may use."""
LENGTH_FORMAT = ">Q"


def searches_at_once() -> int:
    """Return the number of searches that the processors can run at once."""
    return max(1, (os.cpu_count() or 1) // WORKERS_PER_SEARCH)


class PackedSearch(msgspec.Struct, frozen=True):
    """Search serialized for a process: pickled, with the large arrays out of band."""

    head: bytes
    arrays: list[memoryview]

    def write(self, file: BinaryIO) -> list[int]:
        """Write the search and return the length of each part in bytes."""
        for piece in (self.head, *self.arrays):
            file.write(piece)
        file.flush()
        return [len(self.head), *(array.nbytes for array in self.arrays)]


def pack_search(search: SolverRun) -> PackedSearch:
    """Pickle a search without copying its travel matrices.

    Those of 10,000 orders take 1.6 GB.
    """
    arrays: list[pickle.PickleBuffer] = []
    head = pickle.dumps(search, pickle.HIGHEST_PROTOCOL, buffer_callback=arrays.append)
    return PackedSearch(head, [array.raw() for array in arrays])


def unpack_search(file: int, lengths: Sequence[int]) -> SolverRun:
    """Load a search whose arrays are mapped from the file.

    Pages are copied only when written to.
    """
    content = memoryview(mmap.mmap(file, sum(lengths), access=mmap.ACCESS_COPY))
    ends = list(accumulate(lengths))
    head, *arrays = (content[end - length : end] for end, length in zip(ends, lengths, strict=True))
    return pickle.loads(head, buffers=arrays)


def _shared_file() -> BinaryIO:
    """Return an unnamed file that a child process can map, in memory if possible."""
    return os.fdopen(os.memfd_create("search"), "w+b") if sys.platform == "linux" else tempfile.TemporaryFile()


class SubprocessRunner:
    """Runner with a process for each search.

    Each process has its own workers (see `solvers.routing.workers`). Concurrent searches are limited by the number of
    processors.
    """

    def __init__(self, at_once: int | None = None) -> None:
        self._gate = asyncio.Semaphore(at_once or searches_at_once())

    async def best(self, search: SolverRun, tell: OnBetterPlan) -> RoutingPlan:
        """Return the best plan.

        Raises `SolverRunFailed` if the process ends without a result.
        """
        async with self._gate:
            with _shared_file() as file:
                return await self._best(search, tell, file)

    async def _best(self, search: SolverRun, tell: OnBetterPlan, file: BinaryIO) -> RoutingPlan:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", __name__, str(file.fileno())),
            pass_fds=[file.fileno()],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            return await _run_in_process(process, search, tell, file)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # including its workers
            await process.wait()


async def _run_in_process(
    process: asyncio.subprocess.Process, search: SolverRun, tell: OnBetterPlan, file: BinaryIO
) -> RoutingPlan:
    assert process.stdin
    assert process.stdout
    assert process.stderr
    lengths = await asyncio.to_thread(lambda: pack_search(search).write(file))
    written = msgspec.msgpack.encode(lengths)
    complaint = asyncio.create_task(process.stderr.read())
    try:
        with suppress(ConnectionError):  # it has already died, and stderr has the reason
            process.stdin.write(pack(LENGTH_FORMAT, len(written)) + written)
            await process.stdin.drain()
        return await _receive_plans(process.stdout, tell)
    except asyncio.IncompleteReadError:
        stderr_text = (await complaint)[-MAX_STDERR_BYTES:].decode(errors="replace")
        raise SolverRunFailed(stderr_text or "the process of the search is gone") from None
    finally:
        complaint.cancel()


async def _receive_plans(output: asyncio.StreamReader, tell: OnBetterPlan) -> RoutingPlan:
    """Read plans from the process until the last one, or until `tell` returns False."""
    best: RoutingPlan | None = None
    reading: asyncio.Task[tuple[bool, RoutingPlan]] | None = None
    try:
        while True:
            reading = reading or asyncio.create_task(_read_message(output))
            await asyncio.wait({reading}, timeout=PROGRESS_INTERVAL_S)
            last = False
            if reading.done():
                last, best = reading.result()
                reading = None
            if best is not None and (not await tell(best) or last):
                return best
    finally:
        if reading:
            reading.cancel()


async def _read_message(output: asyncio.StreamReader) -> tuple[bool, RoutingPlan]:
    (length,) = unpack(LENGTH_FORMAT, await output.readexactly(8))
    return msgspec.msgpack.decode(await output.readexactly(length), type=tuple[bool, RoutingPlan])


def run_search(search: SolverRun, progress: object, workers: int = 1) -> RoutingPlan:
    """Return the plan of a search in this process."""
    # Imported here because a server does not need the solver engines.
    from haulier.solvers.route_loading.build import build_loadable_routes
    from haulier.solvers.routing.build import build_routes

    if search.loads is not None:
        return build_loadable_routes(
            search.problem,
            search.loads,
            budget=search.budget,
            seed=search.seed,
            start=search.start,
            progress=progress,  # type: ignore[arg-type]
            workers=workers,
        )
    return build_routes(
        search.problem,
        budget=search.budget,
        seed=search.seed,
        start=search.start,
        progress=progress,  # type: ignore[arg-type]
        workers=workers,
    ).plan


def _process_main() -> None:
    """Run a search in this process.

    Reads the search from stdin, and writes every better plan and then the final one to stdout. Exits when stdin closes.
    """
    os.nice(NICENESS)
    (length,) = unpack(LENGTH_FORMAT, sys.stdin.buffer.read(8))
    lengths = msgspec.msgpack.decode(sys.stdin.buffer.read(length), type=list[int])
    search = unpack_search(int(sys.argv[1]), lengths)
    threading.Thread(target=_exit_with_parent, daemon=True).start()

    def say(plan: RoutingPlan, *, last: bool = False) -> bool:
        message = msgspec.msgpack.encode((last, plan))
        sys.stdout.buffer.write(pack(LENGTH_FORMAT, len(message)) + message)
        sys.stdout.buffer.flush()
        return True

    plans: list[RoutingPlan] = []

    def progress(plan: RoutingPlan) -> bool:
        if not plans or plans[-1] is not plan:
            plans[:] = [plan]
            say(plan)
        return True

    say(run_search(search, progress, min(WORKERS_PER_SEARCH, os.cpu_count() or 1)), last=True)


def _exit_with_parent() -> None:
    sys.stdin.buffer.read(1)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    _process_main()
