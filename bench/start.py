"""`python -m bench.start`: what a start costs: processor time until `/readyz` answers, and resident memory then and under load.

Each start is of a process of its own; the middle of several counts. `--minutes` of mixed load over every case follow on each
database, while the memory of the server is looked at once a second.
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

import psutil

from bench import serve
from bench.cases import CASES
from bench.databases import BenchDatabase, bench_database, private_cluster
from bench.page import keep_results
from bench.seed import PASSWORD, Business, seed_orders

MIB = 2**20
SEEDED = 1000
TURN_S = 2.0
"""How long each case of the mixed load has its turn."""
PARTS = 12
"""Of the time under load, each a row."""
SIGN_IN = {
    "method": "POST",
    "path": "/api/v1/user/login",
    "body": json.dumps({"email": "admin@bench.example", "password": PASSWORD}),
}
START_COLUMNS = ("start", "database", "processor time", "database's own", "resident")
MEMORY_COLUMNS = ("part of the time", "middle", "least", "most")
Row = tuple[str, ...]


def started(database: BenchDatabase) -> tuple[float, float, int]:
    """Processor seconds of the server and of the database, and resident MiB, when a server over it first says it is ready."""
    before = database.processor_s()
    with serve.run_haulier(database.url, "/readyz", HAULIER_BACKGROUND="true") as server:
        return server.processor_s(), database.processor_s() - before, resident_mib(server)


def resident_mib(server: serve.RunningServer) -> int:
    """What the server has in memory."""
    return psutil.Process(server.pid).memory_info().rss // MIB


@contextmanager
def new_sqlite() -> Generator[BenchDatabase]:
    """A SQLite database that is not there yet."""
    with tempfile.TemporaryDirectory(prefix="haulier-bench-") as folder:
        yield BenchDatabase("sqlite", f"sqlite:///{folder}/new.db", lambda: 0.0)


def start_rows(databases: list[str], times: int) -> Iterator[Row]:
    """Starts on an empty SQLite database, which the server migrates itself, and on migrated ones."""
    if "sqlite" in databases:
        first: list[tuple[float, float, int]] = []
        for _ in range(times):
            with new_sqlite() as database:
                first.append(started(database))
        yield _row("first database", "sqlite", first)
    for name in databases:
        with bench_database(name) as database:
            yield _row("migrated", name, [started(database) for _ in range(times)])


def _row(case: str, name: str, taken: list[tuple[float, float, int]]) -> Row:
    servers, databases, memory = zip(*taken, strict=True)
    middle = statistics.median(servers)
    return (
        case,
        name,
        f"{middle:.2f} s ({min(servers):.2f} to {max(servers):.2f})",
        f"{statistics.median(databases):.2f} s" if any(databases) else "",
        f"{statistics.median(memory):.0f} MiB",
    )


def memory_seen(name: str, minutes: float) -> list[int]:
    """Resident MiB of a server, a sample a second, under mixed load: every case in turn, and somebody who signs in."""
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


def memory_rows(seen: list[int]) -> Iterator[Row]:
    """Resident memory before the load, and in each twelfth of its time: the middle, the least and the most."""
    yield "before", *(str(seen[0]),) * 3
    part = max(1, len(seen) // PARTS)
    for at in range(min(PARTS, len(seen))):
        during = seen[at * part : (at + 1) * part]
        yield f"{at + 1} of {PARTS}", f"{statistics.median(during):.0f}", str(min(during)), str(max(during))


def main() -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m bench.start", description=__doc__)
    parser.add_argument("--databases", default="sqlite,postgres")
    parser.add_argument("--times", type=int, default=5, help="starts of each kind; 0 for none")
    parser.add_argument("--minutes", type=float, default=10.0, help="of mixed load; 0 for none")
    given = parser.parse_args()
    databases = given.databases.split(",")
    with private_cluster(databases):
        if given.times:
            about = "Processor time of a new process until `/readyz` answers."
            keep_results("Starts", START_COLUMNS, list(start_rows(databases, given.times)), (), about)
        for name in databases if given.minutes else ():
            seen = memory_seen(name, given.minutes)
            about = f"Resident MiB of the server, each second of {given.minutes:g} minutes of mixed load."
            keep_results(f"Memory, {name}", MEMORY_COLUMNS, list(memory_rows(seen)), (), about)
    return 0


if __name__ == "__main__":
    sys.exit(main())
