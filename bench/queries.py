"""`python -m bench.queries`: how many SQL statements each case takes, and that they do not grow with what is stored.

The service runs in this process, over databases of two sizes, and its units of work are counted. Each case is asked once to
warm up and then ten times; the middle number counts.
"""

import argparse
import asyncio
import statistics
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from rich.console import Console
from rich.table import Table

from bench import serve
from bench.__main__ import an_address
from bench.cases import Case, others, reads
from bench.seed import Business, grow
from haulier.app import build_house
from haulier.kernel.data.work import Database, Work
from haulier.server import application
from haulier.settings import Settings

SIZES = (1000, 10_000)
TIMES = 10
PAGE = Path(__file__).parent / "QUERIES.md"


class Counter:
    """Counts the statements of every unit of work that a database gives out."""

    def __init__(self, database: Database) -> None:
        self.statements = 0
        for kind in ("read", "write"):
            setattr(database, kind, self._counted(getattr(database, kind)))

    def _counted(self, unit: Any) -> Any:
        @asynccontextmanager
        async def counted(client_id: int | None) -> AsyncIterator[Work]:
            async with unit(client_id) as work:
                try:
                    yield work
                finally:
                    self.statements += work.statements

        return counted


async def counted(url: str, cases: list[Case]) -> dict[str, int]:
    """Statements of one request of each case."""
    settings = Settings(database=url, rate_limits=False, background=False, log_level="warning", port=serve.free_port())
    house = build_house(settings)
    counter = Counter(house.database)
    config = uvicorn.Config(application(settings, house), port=settings.port, log_config=None, access_log=False)
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 (uvicorn has no event for it)
        await asyncio.sleep(0.05)
    found = {case.name: [await _one(counter, settings.port, case, at) for at in range(TIMES + 1)] for case in cases}
    server.should_exit = True
    await running
    return {name: int(statistics.median(numbers[1:])) for name, numbers in found.items()}


async def _one(counter: Counter, port: int, case: Case, at: int) -> int:
    request = dict(case.requests[at % len(case.requests)])
    if "body" in request:
        request["body"] = request["body"].replace("{n}", f"q{at}")
    before = counter.statements
    await asyncio.to_thread(serve.ask, port, request)
    return counter.statements - before


def main() -> int:
    """Print the table and keep it; 1 when a number grew."""
    given = argparse.ArgumentParser(prog="python -m bench.queries", description=__doc__)
    given.add_argument("--databases", default="sqlite,postgres")
    rows: list[tuple[str, str, list[int]]] = []
    for name in given.parse_args().databases.split(","):
        with an_address(name) as url:
            business, numbers = Business(), list[dict[str, int]]()
            for size in SIZES:
                grow(url, business, size, lambda _: None)
                numbers.append(asyncio.run(counted(url, reads(business) + others(business))))
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
    PAGE.write_text("\n".join(lines) + "\n")
    return int(any(counts[-1] > counts[0] for _, _, counts in rows))


if __name__ == "__main__":
    sys.exit(main())
