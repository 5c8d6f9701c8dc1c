"""Cost of starting a server: `python -m bench.start`.

Measured are processor time until `/readyz` responds, and resident memory at that time and under load. Each start is a
separate process; the median of several counts. `--minutes` of mixed load over every case follow on each database, with
a memory sample every second.
"""

import argparse
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import NamedTuple

import psutil

from bench import serve
from bench.cases import CASES
from bench.databases import BenchDatabase, bench_database, private_cluster
from bench.page import keep_results
from bench.seed import PASSWORD, Business, seed_orders

MIB = 2**20
SEEDED = 1000
TURN_S = 2.0
"""Duration of each case in the mixed load."""
PARTS = 12
"""Number of parts of the time under load, a row each."""
SIGN_IN = {
    "method": "POST",
    "path": "/api/v1/user/login",
    "body": json.dumps({"email": "admin@bench.example", "password": PASSWORD}),
}
PROCESSOR_AIMS = {"migrated": 1.0, "first database": 2.3}
"""Target seconds of a start: a quarter of 4, a third of 7."""
RESIDENT_AIM_MIB = 130
GROWTH_AIM = 1.05
"""Maximum growth of memory from the third part of the time under load, which includes each kind of call, to the last.
"""
START_COLUMNS = ("start", "database", "processor time", "database's own", "resident")
MEMORY_COLUMNS = ("part of the time", "middle", "least", "most")
Row = tuple[str, ...]


class Start(NamedTuple):
    """Starts of one kind: processor seconds of server and database, and resident MiB."""

    case: str
    database: str
    taken: list[tuple[float, float, int]]

    def middle(self, at: int) -> float:
        """Return the median of a measurement."""
        return statistics.median(each[at] for each in self.taken)

    def row(self) -> Row:
        """Return the table row."""
        servers, databases, _ = zip(*self.taken, strict=True)
        return (
            self.case,
            self.database,
            f"{self.middle(0):.2f} s ({min(servers):.2f} to {max(servers):.2f})",
            f"{self.middle(1):.2f} s" if any(databases) else "",
            f"{self.middle(2):.0f} MiB",
        )

    def missed(self) -> Iterator[str]:
        """Yield the missed targets."""
        name = f"{self.case}, {self.database}"
        if self.middle(0) > PROCESSOR_AIMS[self.case]:
            yield f"{name}: {self.middle(0):.2f} s, wanted {PROCESSOR_AIMS[self.case]}"
        if self.middle(2) > RESIDENT_AIM_MIB:
            yield f"{name}: {self.middle(2):.0f} MiB, wanted {RESIDENT_AIM_MIB}"


def started(database: BenchDatabase) -> tuple[float, float, int]:
    """Return processor seconds of server and database, and resident MiB, when ready."""
    before = database.processor_s()
    with serve.run_haulier(database.url, "/readyz", HAULIER_BACKGROUND="true") as server:
        return server.processor_s(), database.processor_s() - before, resident_mib(server)


def resident_mib(server: serve.RunningServer) -> int:
    """Return the resident memory of the server."""
    return psutil.Process(server.pid).memory_info().rss // MIB


@contextmanager
def new_sqlite() -> Generator[BenchDatabase]:
    """Yield a SQLite database that does not exist yet."""
    with tempfile.TemporaryDirectory(prefix="haulier-bench-") as folder:
        yield BenchDatabase("sqlite", f"sqlite:///{folder}/new.db", lambda: 0.0)


def starts(databases: list[str], times: int) -> Iterator[Start]:
    """Measure starts on an empty SQLite database and on migrated databases.

    The server migrates the empty one itself.
    """
    if "sqlite" in databases:
        first: list[tuple[float, float, int]] = []
        for _ in range(times):
            with new_sqlite() as database:
                first.append(started(database))
        yield Start("first database", "sqlite", first)
    for name in databases:
        with bench_database(name) as database:
            yield Start("migrated", name, [started(database) for _ in range(times)])


def memory_seen(name: str, minutes: float) -> list[int]:
    """Return resident MiB per second under mixed load.

    Every case runs in turn, together with sign-ins.
    """
    business, seen, stopped = Business(), list[int](), threading.Event()
    with bench_database(name) as database:
        seed_orders(database.url, business, SEEDED, lambda _: None)
        cases = [make(business) for make in CASES]
        with serve.run_haulier(database.url) as server:
            watcher = threading.Thread(target=_watch, args=(server, seen, stopped))
            watcher.start()
            ends = time.monotonic() + 60 * minutes
            try:
                while time.monotonic() < ends:
                    for case in cases:
                        serve.run_load(server.port, case.requests, min(TURN_S, 10 * minutes))
                    serve.send_request(server.port, SIGN_IN)
            finally:
                stopped.set()
                watcher.join()
    return seen


def _watch(server: serve.RunningServer, seen: list[int], stopped: threading.Event) -> None:
    seen.append(resident_mib(server))
    while not stopped.wait(1):
        seen.append(resident_mib(server))


def parts_of(seen: list[int]) -> list[list[int]]:
    """Return the samples of each part of the time; the last may be slightly longer."""
    ends = [len(seen) * at // PARTS for at in range(PARTS + 1)]
    return [part for start, end in pairwise(ends) if (part := seen[start:end])]


def memory_rows(seen: list[int]) -> Iterator[Row]:
    """Yield memory before and in each part of the load: median, minimum and maximum."""
    yield "before", *(str(seen[0]),) * 3
    for at, during in enumerate(parts_of(seen), 1):
        yield f"{at} of {PARTS}", f"{statistics.median(during):.0f}", str(min(during)), str(max(during))


def growth_missed(seen: list[int]) -> Iterator[str]:
    """Yield a line if memory still grew."""
    middles = [statistics.median(part) for part in parts_of(seen)]
    if len(middles) == PARTS and middles[-1] > GROWTH_AIM * middles[2]:
        yield f"{middles[-1]:.0f} MiB in the last part, {middles[2]:.0f} in the third: wanted at most {GROWTH_AIM} of it"


def main() -> int:
    """Measure, print and store results."""
    parser = argparse.ArgumentParser(prog="python -m bench.start", description=__doc__)
    parser.add_argument("--databases", default="sqlite,postgres")
    parser.add_argument("--times", type=int, default=5, help="starts of each kind; 0 for none")
    parser.add_argument("--minutes", type=float, default=10.0, help="of mixed load; 0 for none")
    given = parser.parse_args()
    databases, missed = given.databases.split(","), list[str]()
    with private_cluster(databases):
        if given.times:
            about = "Processor time of a new process until `/readyz` responds."
            seen_starts = list(starts(databases, given.times))
            missed += (lines := [line for each in seen_starts for line in each.missed()])
            keep_results("Starts", START_COLUMNS, [each.row() for each in seen_starts], lines, about)
        for name in databases if given.minutes else ():
            seen = memory_seen(name, given.minutes)
            about = f"Resident MiB of the server, each second of {given.minutes:g} minutes of mixed load."
            missed += (lines := list(growth_missed(seen)))
            keep_results(f"Memory, {name}", MEMORY_COLUMNS, list(memory_rows(seen)), lines, about)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
