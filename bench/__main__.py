"""Cost of calls on every interface: processor time and requests per second.

Run `python -m bench` to measure all cases. `python -m bench order` measures the cases with a text in their name and
writes nothing. `python -m bench tracking` runs `python -m bench.tracking`, and likewise for the other benchmarks in
this folder.
"""

import argparse
import runpy
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from bench import serve
from bench.cases import TIMELINE, BenchCase, chosen_cases
from bench.databases import BenchDatabase, bench_database, private_cluster
from bench.page import RESULTS
from bench.report import BenchResult, keep_calls, report_targets, results_table
from bench.seed import Business, seed_orders

BARE_REQUESTS = [{"path": "/"}]
TURNS = 3
"""Rounds per case; the cheapest counts, because other work can double the time of a call."""
NO_BENCHES = {"bare", "cases", "databases", "load", "minimal_mcp", "page", "report", "seed", "serve"}
"""Modules that are not benchmarks."""


class Bench:
    """One run. The bare server stays up and is measured before and after every case."""

    def __init__(self, given: argparse.Namespace, bare_port: int, progress: Progress) -> None:
        self.given, self.seconds = given, given.seconds
        self.bare_port, self.progress = bare_port, progress
        self.results: list[BenchResult] = []
        self._last_bare = self._bare()
        self._unit_ms = 0.0

    def _bare(self) -> float:
        return float(serve.run_load(self.bare_port, BARE_REQUESTS, self.seconds)["per_second"])

    def measure(self, server: serve.RunningServer, database: BenchDatabase, case: BenchCase, size: int) -> None:
        """Measure one case between two measurements of the bare server."""
        if not case.holds(told := serve.send_request(server.port, case.requests[0])):
            raise RuntimeError(f"{case.name} does not answer as it must: {told}")
        turns = [self._turn(server, database, case) for _ in range(TURNS)]
        numbers, server_ms, database_ms = min(turns, key=lambda turn: turn[1] + turn[2])
        before, self._last_bare = self._last_bare, self._bare()
        bare = (before + self._last_bare) / 2
        if case.name == TIMELINE:
            self._unit_ms = server_ms
        self.results.append(
            BenchResult(
                case=case.name,
                database=database.name,
                size=size,
                bare=bare,
                server_ms=server_ms,
                database_ms=database_ms,
                unit_ms=self._unit_ms,
                **numbers,
            )
        )

    def _turn(
        self, server: serve.RunningServer, database: BenchDatabase, case: BenchCase
    ) -> tuple[dict[str, Any], float, float]:
        """Return the load results, and milliseconds of server and database per response."""
        began = (server.processor_s(), database.processor_s())
        numbers = serve.run_load(server.port, case.requests[1:] + case.requests[:1], self.seconds / TURNS)
        answered = numbers.pop("answered")
        server_s, database_s = server.processor_s() - began[0], database.processor_s() - began[1]
        return numbers, 1000 * server_s / answered, 1000 * database_s / answered

    def keep(self, name: str) -> None:
        """Write the section of a database, unless only some cases were selected."""
        if not self.given.quick and not self.given.what:
            keep_calls([each for each in self.results if each.database == name], name, self.given.sizes)

    def database(self, database: BenchDatabase, sizes: list[int]) -> None:
        """Measure all cases at the first size, and growing cases at every size."""
        name, url = database.name, database.url
        business = Business()
        for size in sizes:
            task = self.progress.add_task(f"{name}: storing orders", total=size)
            seed_orders(url, business, size, lambda done, task=task: self.progress.update(task, completed=done))
            with serve.run_haulier(url) as server:
                cases = chosen_cases(business, self.given.what, smallest=size == sizes[0])
                task = self.progress.add_task(f"{name}, {size} orders", total=len(cases))
                for case in cases:
                    self.progress.update(task, description=f"{name}, {size} orders: {case.name}")
                    self.measure(server, database, case, size)
                    self.progress.advance(task)
            self.keep(name)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("what", nargs="?", help="a part of the names of cases: writes nothing")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each case is measured")
    parser.add_argument("--databases", default="sqlite,postgres", help="sqlite, postgres or both")
    parser.add_argument("--sizes", default="1000,10000,100000", help="stored orders, ascending")
    parser.add_argument("--quick", action="store_true", help="1000 orders, half a second a case, nothing written")
    given = parser.parse_args()
    given.databases = given.databases.split(",")
    given.sizes = sorted(int(size) for size in given.sizes.split(","))
    if unknown := set(given.databases) - {"sqlite", "postgres"}:
        parser.error(f"unknown databases: {', '.join(sorted(unknown))}")
    if given.sizes[0] < 500:
        parser.error("a size is at least 500")
    if given.quick:
        given.seconds, given.sizes = 0.5, [1000]
    return given


def _other_bench(name: str) -> str | None:
    """Return the module of another benchmark in this folder; None if there is none."""
    folder = Path(__file__).parent
    is_one = name.isidentifier() and ((folder / f"{name}.py").exists() or (folder / name / "__main__.py").exists())
    return f"bench.{name}" if is_one and name not in NO_BENCHES else None


def main() -> int:
    """Measure, print and store the table; return 1 if a target is missed."""
    if len(sys.argv) > 1 and (other := _other_bench(sys.argv[1])):
        del sys.argv[1]
        runpy.run_module(other, run_name="__main__", alter_sys=True)
        return 0
    given, console = parse_options(), Console()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    failures: list[str] = []
    with ExitStack() as stack:
        stack.enter_context(private_cluster(given.databases))
        progress = stack.enter_context(Progress(*columns, TimeElapsedColumn(), console=console))
        bench = Bench(given, stack.enter_context(serve.serve_bare()), progress)
        for name in given.databases:
            try:
                with bench_database(name) as database:
                    bench.database(database, given.sizes)
            except RuntimeError as error:  # earlier results are kept
                failures.append(f"{name}: {error}")
    console.print(results_table(bench.results))
    missed = [f"{row[0]}: {row[1]}" for row, met in report_targets(bench.results) if not met]
    if not given.quick and not given.what:
        console.print(f"written to {RESULTS}")
    for line in failures:
        console.print(f"[red]broken off[/]: {line}")
    for line in missed:
        console.print(f"[red]missed[/]: {line}")
    return int(bool(failures) or (bool(missed) and not given.quick))


if __name__ == "__main__":
    sys.exit(main())
