"""`python -m bench`: every number relative to a bare server under the same load, in the same run, next to it in time."""

import argparse
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from bench import serve
from bench.cases import BenchCase, other_cases, read_cases
from bench.report import BenchResult, results_page, results_table
from bench.seed import Business, seed_orders

BARE_REQUESTS = [{"path": "/"}]
RESULTS = Path(__file__).parent / "RESULTS.md"


class Bench:
    """One run: the bare server stays up, and is measured before and after every case."""

    def __init__(self, given: argparse.Namespace, bare_port: int, progress: Progress) -> None:
        self.given, self.seconds = given, given.seconds
        self.bare_port, self.progress = bare_port, progress
        self.postgres: str | None = None
        self.results: list[BenchResult] = []
        self._last_bare = self._bare()

    def _bare(self) -> float:
        return float(serve.run_load(self.bare_port, BARE_REQUESTS, self.seconds)["per_second"])

    def measure(self, port: int, case: BenchCase, database: str, size: int) -> None:
        """One case, between two measurements of the bare server."""
        if not case.holds(told := serve.send_request(port, case.requests[0])):
            raise RuntimeError(f"{case.name} does not answer as it must: {told}")
        numbers = serve.run_load(port, case.requests[1:] + case.requests[:1], self.seconds)
        before, self._last_bare = self._last_bare, self._bare()
        bare = (before + self._last_bare) / 2
        self.results.append(BenchResult(case=case.name, database=database, size=size, bare=bare, **numbers))

    def keep(self) -> None:
        """Write the page of what was measured so far, unless it was only a look."""
        if not self.given.quick:
            RESULTS.write_text(results_page(self.results, self.given, self.postgres)[0])

    def database(self, name: str, url: str, sizes: list[int]) -> None:
        """All cases at the first size, the reads at every size."""
        business = Business()
        for size in sizes:
            task = self.progress.add_task(f"{name}: storing orders", total=size)
            seed_orders(url, business, size, lambda done, task=task: self.progress.update(task, completed=done))
            with serve.serve_haulier(url) as port:
                cases = read_cases(business) + (other_cases(business) if size == sizes[0] else [])
                task = self.progress.add_task(f"{name}, {size} orders", total=len(cases))
                for case in cases:
                    self.progress.update(task, description=f"{name}, {size} orders: {case.name}")
                    self.measure(port, case, name, size)
                    self.progress.advance(task)
            self.keep()


@contextmanager
def database_address(name: str) -> Iterator[str]:
    """A migrated, empty database, deleted afterwards."""
    if name == "sqlite":
        from haulier.adapters.migrations import upgrade_schema

        with tempfile.TemporaryDirectory(prefix="haulier-bench-") as folder:
            url = f"sqlite:///{folder}/bench.db"
            upgrade_schema(url)
            yield url
    else:
        from tests.support.databases import cluster

        yield cluster().url()


def postgres_version() -> str:
    """Of the private cluster."""
    from tests.support.databases import cluster

    return str(cluster().ask("SHOW server_version")[0][0])


def parse_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each case is measured")
    parser.add_argument("--databases", default="sqlite,postgres", help="sqlite, postgres or both")
    parser.add_argument("--sizes", default="10000,100000", help="stored orders, ascending")
    parser.add_argument("--quick", action="store_true", help="1000 orders, half a second a case, nothing written")
    given = parser.parse_args()
    given.command = shlex.join(["python", "-m", "bench", *sys.argv[1:]])
    given.databases = given.databases.split(",")
    given.sizes = sorted(int(size) for size in given.sizes.split(","))
    if unknown := set(given.databases) - {"sqlite", "postgres"}:
        parser.error(f"unknown databases: {', '.join(sorted(unknown))}")
    if given.sizes[0] < 500:
        parser.error("a size is at least 500")
    if given.quick:
        given.seconds, given.sizes = 0.5, [1000]
    return given


def main() -> int:
    """Measure, print, and keep the table; 1 when a target is missed."""
    given, console = parse_options(), Console()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    failures: list[str] = []
    try:
        with ExitStack() as stack:
            progress = stack.enter_context(Progress(*columns, TimeElapsedColumn(), console=console))
            bench = Bench(given, stack.enter_context(serve.serve_bare()), progress)
            for name in given.databases:
                try:
                    with database_address(name) as url:
                        if name == "postgres":
                            bench.postgres = postgres_version()
                        bench.database(name, url, given.sizes)
                except RuntimeError as error:  # what was measured before is kept
                    failures.append(f"{name}: {error}")
    finally:
        if "postgres" in given.databases:
            from tests.support.databases import leave

            leave()
    console.print(results_table(bench.results))
    missed = results_page(bench.results, given, bench.postgres)[1]
    if not given.quick:
        console.print(f"written to {RESULTS}")
    for line in failures:
        console.print(f"[red]broken off[/]: {line}")
    for line in missed:
        console.print(f"[red]missed[/]: {line}")
    return int(bool(failures) or (bool(missed) and not given.quick))


if __name__ == "__main__":
    sys.exit(main())
