"""SQL statements per case and their growth: `python -m bench.queries`.

The service runs in this process over databases of two sizes, and statements of its units of work are counted. Each case
runs once to warm up and then ten times; the median counts. Each size has its own database: rows written by cases at the
first size would be read at the second, and merging a timeline with repeated scans takes one more statement.
"""

import argparse
import asyncio
import statistics
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from rich.console import Console
from rich.table import Table

from bench import serve
from bench.cases import BenchCase, chosen_cases
from bench.databases import database_address
from bench.seed import Business, seed_orders
from haulier.app import build_application
from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.server import create_asgi_app
from haulier.settings import Settings

SIZES = (1000, 10_000)
REPEATS = 10
RESULTS_PAGE = Path(__file__).parent / "QUERIES.md"


class StatementCounter:
    """Counts the statements of every unit of work of a database."""

    def __init__(self, database: Database) -> None:
        self.statements = 0
        for kind in ("read", "write"):
            setattr(database, kind, self._counted(getattr(database, kind)))

    def _counted(self, unit: Any) -> Any:
        @asynccontextmanager
        async def counted(client_id: int | None, **words: Any) -> AsyncGenerator[UnitOfWork]:
            done: UnitOfWork | None = None
            try:
                async with unit(client_id, **words) as work:
                    done = work
                    yield work
            finally:  # after the block, to include statements before the commit
                self.statements += done.statements if done else 0

        return counted


async def count_statements(url: str, cases: list[BenchCase]) -> dict[str, int]:
    """Return the statements of one request of each case."""
    settings = Settings(database=url, rate_limits=False, background=False, log_level="warning", port=serve.free_port())
    app = build_application(settings)
    counter = StatementCounter(app.database)
    config = uvicorn.Config(create_asgi_app(settings, app), port=settings.port, log_config=None, access_log=False)
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 (uvicorn has no event for it)
        await asyncio.sleep(0.05)
    found = {
        case.name: [await _count_case(counter, settings.port, case, at) for at in range(REPEATS + 1)] for case in cases
    }
    server.should_exit = True
    await running
    return {name: int(statistics.median(numbers[1:])) for name, numbers in found.items()}


async def _count_case(counter: StatementCounter, port: int, case: BenchCase, at: int) -> int:
    request = dict(case.requests[at % len(case.requests)])
    if "body" in request:
        request["body"] = request["body"].replace("{n}", f"q{at}").replace("{u}", f"{at:012}")
    before = counter.statements
    await asyncio.to_thread(serve.send_request, port, request)
    return counter.statements - before


def count_at_size(name: str, size: int) -> dict[str, int]:
    """Return the statements of one request of each case in a new database of a size."""
    with database_address(name) as url:
        business = Business()
        seed_orders(url, business, size, lambda _: None)
        return asyncio.run(count_statements(url, chosen_cases(business, None, smallest=True)))


def main() -> int:
    """Print and store the table; return 1 if a number grew."""
    given = argparse.ArgumentParser(prog="python -m bench.queries", description=__doc__)
    given.add_argument("--databases", default="sqlite,postgres")
    rows: list[tuple[str, str, list[int]]] = []
    for name in given.parse_args().databases.split(","):
        numbers = [count_at_size(name, size) for size in SIZES]
        rows += [(case, name, [each[case] for each in numbers]) for case in numbers[0]]
    heads = ["case", "database", *(f"{size} orders" for size in SIZES)]
    shown = Table(*heads)
    lines = [
        "# Queries per request",
        "",
        "`python -m bench.queries`",
        "",
        f"| {' | '.join(heads)} |",
        "| --- | --- | ---: | ---: |",
    ]
    for case, database, counts in rows:
        shown.add_row(case, database, *map(str, counts))
        lines.append(f"| {case} | {database} | {' | '.join(map(str, counts))} |")
    Console().print(shown)
    RESULTS_PAGE.write_text("\n".join(lines) + "\n")
    return int(any(counts[-1] > counts[0] for _, _, counts in rows))


if __name__ == "__main__":
    sys.exit(main())
