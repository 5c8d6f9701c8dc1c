"""Searches for plans away from the event loop: in a process of their own, or in a thread of this one.

A process costs about half a second to start; the server stays quick meanwhile, a search is ended by killing it, and one whose
server was killed ends by itself, because its input closes.
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
"""How often a search without a better plan is asked whether to continue."""
NICENESS = 5
"""The niceness of a search, so that the server has precedence (see nice(1))."""
MAX_STDERR_BYTES = 2000
WORKERS_PER_SEARCH = 2
"""How many processors a search may use."""
LENGTH_FORMAT = ">Q"


def searches_at_once() -> int:
    """How many searches this machine has processors for."""
    return max(1, (os.cpu_count() or 1) // WORKERS_PER_SEARCH)


class PackedSearch(msgspec.Struct, frozen=True):
    """A search on its way to a process: everything pickled but the large arrays, which lie beside it as they are."""

    head: bytes
    arrays: list[memoryview]

    def write(self, file: BinaryIO) -> list[int]:
        """Write all of it. Returns how many bytes each piece has."""
        for piece in (self.head, *self.arrays):
            file.write(piece)
        file.flush()
        return [len(self.head), *(array.nbytes for array in self.arrays)]


def pack_search(search: SolverRun) -> PackedSearch:
    """Pickle a search without copying its travel matrices: those of 10,000 orders are 1.6 GB."""
    arrays: list[pickle.PickleBuffer] = []
    head = pickle.dumps(search, pickle.HIGHEST_PROTOCOL, buffer_callback=arrays.append)
    return PackedSearch(head, [array.raw() for array in arrays])


def unpack_search(file: int, lengths: Sequence[int]) -> SolverRun:
    """The search of a file, whose arrays are those of the file: pages that nobody writes to are not copied."""
    content = memoryview(mmap.mmap(file, sum(lengths), access=mmap.ACCESS_COPY))
    ends = list(accumulate(lengths))
    head, *arrays = (content[end - length : end] for end, length in zip(ends, lengths, strict=True))
    return pickle.loads(head, buffers=arrays)


def _shared_file() -> BinaryIO:
    """A file without a name that a child process can map: in memory where the system can."""
    return os.fdopen(os.memfd_create("search"), "w+b") if sys.platform == "linux" else tempfile.TemporaryFile()


class SubprocessRunner:
    """A process for each search, with workers of its own (see `solvers.routing.workers`); as many searches at once as there are
    processors for."""

    def __init__(self, at_once: int | None = None) -> None:
        self._gate = asyncio.Semaphore(at_once or searches_at_once())

    async def best(self, search: SolverRun, tell: OnBetterPlan) -> RoutingPlan:
        """The best plan found. Raises `SolverRunFailed` when the process dies without an answer."""
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
                os.killpg(process.pid, signal.SIGKILL)  # its workers too
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
        with suppress(ConnectionError):  # it died already: stderr has the reason
            process.stdin.write(pack(LENGTH_FORMAT, len(written)) + written)
            await process.stdin.drain()
        return await _receive_plans(process.stdout, tell)
    except asyncio.IncompleteReadError:
        stderr_text = (await complaint)[-MAX_STDERR_BYTES:].decode(errors="replace")
        raise SolverRunFailed(stderr_text or "the process of the search is gone") from None
    finally:
        complaint.cancel()


async def _receive_plans(output: asyncio.StreamReader, tell: OnBetterPlan) -> RoutingPlan:
    """Read plans from the process, until its last message or until `progress` returns false."""
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
    # Why here: they bring the engines, which a server does not need.
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
    """What the process does: read the search, send every better plan, and finally the answer. It ends when its input closes."""
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
