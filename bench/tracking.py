"""Reading and ingesting timelines with up to ten million stored events.

Run `python -m bench.tracking`. Reads are relative to the bare server, as in `bench`; ingestion is in events per second,
because carriers send batches. Every stored order has twelve events. Projections have their own benchmark,
`bench.projections`.
"""

import argparse
import asyncio
import json
import shlex
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench import serve
from bench.__main__ import BARE_REQUESTS
from bench.cases import COLD_REQUESTS
from bench.databases import database_address
from bench.seed import EVENTS_PER_ORDER, Business, seed_orders
from haulier.adapters.database import database_for
from haulier.contexts.tracking import public as tracking

RESULTS = Path(__file__).parent / "TRACKING.md"
MIN_READ_RATIOS = {"sqlite": 0.20, "postgres": 0.10}
MIN_NOT_MODIFIED_RATIO = 0.35
READ, HOT, SPARED = "timeline read", "timeline read, hot", "timeline read, 304"
MIN_INGEST_EVENTS_PER_S = 10_000
ROUNDS = 3
METHOD_NOTE = (
    f"The fastest of {ROUNDS} rounds of each read, and of {ROUNDS} rounds of the bare server in between, counts."
)
COLUMNS = ("case", "database", "stored events", "requests/s", "of bare", "events/s", "p50 ms", "p99 ms")


class TrackingMeasurement(Struct, frozen=True):
    """One row of the table."""

    case: str
    database: str
    stored: int
    per_second: float
    ratio: float
    events: float
    p50_ms: float
    p99_ms: float

    def cells(self) -> tuple[str, ...]:
        """Return the cells as text, in the order of `HEADS`."""
        events = f"{self.events:.0f}" if self.events else ""
        speed = (f"{self.per_second:.0f}", f"{self.ratio:.3f}", events)
        return (self.case, self.database, str(self.stored), *speed, f"{self.p50_ms:.2f}", f"{self.p99_ms:.2f}")


async def create_provider_key(url: str, business: Business) -> str:
    """Create a provider key of the benchmark client."""
    database = database_for(url)
    await database.open()
    try:
        async with database.write(None) as work:
            issued = await tracking.create_provider_key(
                work, client_id=business.client_id, name="Swift Post", now=datetime.now(UTC), per_minute=10**6
            )
        return issued.key
    finally:
        await database.close()


def reads(business: Business, port: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield timeline requests: uncached, cached, and cached for authenticated callers."""
    step = max(1, business.stored // COLD_REQUESTS)
    paths = [f"/api/v1/otep/trackings/{business.number(at)}" for at in range(0, business.stored, step)][:COLD_REQUESTS]
    if len(paths) < COLD_REQUESTS:
        raise SystemExit(f"at least {COLD_REQUESTS} orders, or the answers are not read but kept")
    yield READ, [{"path": path} for path in paths]
    yield HOT, [{"path": path} for path in paths[:200]]
    tags = {path: _tag(port, path) for path in paths[:200]}
    yield SPARED, [{"path": path, "headers": {"If-None-Match": tag}} for path, tag in tags.items()]


def _tag(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://{serve.HOST}:{port}{path}") as answer:
        return answer.headers["ETag"]


def ingests(business: Business, key: str, size: int) -> list[dict[str, Any]]:
    """Return batches of scans of distinct parcels, enough for 200 batches."""
    batches = min(200, business.stored // size)
    head = {"Authorization": f"Bearer {key}"}
    return [
        {"method": "POST", "path": "/api/v1/otep/ingest", "headers": head, "body": _scans(business, at * size, size)}
        for at in range(batches)
    ]


def _scans(business: Business, first: int, count: int) -> str:
    source = {"type": "carrier", "name": "Swift Post"}
    scan = {"occurred_at": "2026-06-10T11:30:00-04:00", "status_code": "in_transit"}
    place = {"city": "Toronto", "country": "CA"}
    return json.dumps(
        {
            "timelines": [
                {
                    "subject": {"tracking_number": business.number(at)},
                    "events": [{**scan, "location": place, "source": {**source, "reference": f"{{n}}-{at}"}}],
                }
                for at in range(first, first + count)
            ]
        }
    )


def measure(
    port: int, bare: int, case: str, requests: list[dict[str, Any]], name: str, stored: int, given: Any, batch: int = 0
) -> TrackingMeasurement:
    """Measure one case and the bare server in turn; the fastest round of each counts.

    The machine may be shared. A batch is sent only once: a second round would repeat its events.
    """
    rounds = [
        (serve.run_load(port, requests, given.seconds), serve.run_load(bare, BARE_REQUESTS, given.seconds / 2))
        for _ in range(1 if batch else ROUNDS)
    ]
    if refused := sum(told["not_ok"] for told, _ in rounds) if case != SPARED else 0:
        raise RuntimeError(f"{case}: {refused} answers were not 2xx")
    told = max((told for told, _ in rounds), key=itemgetter("per_second"))
    per_second = told["per_second"]
    ratio = per_second / max(at_rest["per_second"] for _, at_rest in rounds)
    return TrackingMeasurement(
        case, name, stored, per_second, ratio, per_second * batch, told["p50_ms"], told["p99_ms"]
    )


def measure_database(name: str, url: str, bare: int, given: Any, progress: Progress) -> Iterator[TrackingMeasurement]:
    """Measure every case at every size."""
    business = Business()
    for size in given.sizes:
        task = progress.add_task(f"{name}: storing orders", total=size)
        seed_orders(url, business, size, lambda done, task=task: progress.update(task, completed=done))
        key = asyncio.run(create_provider_key(url, business))
        stored = size * EVENTS_PER_ORDER
        with serve.serve_haulier(url) as port:
            for case, requests in reads(business, port):
                yield measure(port, bare, case, requests, name, stored, given)
            for batch in (100, 1000):
                requests = ingests(business, key, batch)
                yield measure(port, bare, f"ingest, batches of {batch}", requests, name, stored, given, batch)


def missed_targets(results: list[TrackingMeasurement]) -> Iterator[str]:
    """Yield missed targets: at the smallest size, and slower batches with more events."""
    first = {(each.case, each.database): each for each in reversed(results)}
    last = {(each.case, each.database): each for each in results}
    for (case, name), each in first.items():
        floor = MIN_READ_RATIOS[name] if case == READ else MIN_NOT_MODIFIED_RATIO if case in (HOT, SPARED) else 0
        if each.ratio < floor:
            yield f"{case}, {name}: {each.ratio:.3f} of bare, wanted {floor}"
        if case.endswith(" 100"):
            if each.events < MIN_INGEST_EVENTS_PER_S:
                yield f"{case}, {name}: {each.events:.0f} events/s, wanted {MIN_INGEST_EVENTS_PER_S}"
            if last[case, name].events < 0.75 * each.events:
                yield f"{case}, {name}: {last[case, name].events / each.events:.2f} of it at the largest size, wanted 0.75"


def results_page(results: list[TrackingMeasurement], verdicts: list[str], command: str) -> str:
    """Return the results page."""
    lines = [
        "# Tracking",
        "",
        METHOD_NOTE,
        "",
        f"- date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"- command: `{command}`",
        "",
    ]
    lines += [f"| {' | '.join(COLUMNS)} |", "| --- | --- |" + " ---: |" * (len(COLUMNS) - 2)]
    lines += [f"| {' | '.join(each.cells())} |" for each in results]
    lines += ["", "## Targets missed", "", *([f"- {each}" for each in verdicts] or ["none"])]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, print and store results; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.tracking", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--databases", default="sqlite,postgres")
    parser.add_argument("--sizes", default="10000,100000", help="stored orders, twelve events each, ascending")
    given = parser.parse_args()
    given.sizes = sorted(int(size) for size in given.sizes.split(","))
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    results: list[TrackingMeasurement] = []
    command = shlex.join(["python", "-m", "bench.tracking", *sys.argv[1:]])
    with ExitStack() as stack:
        progress = stack.enter_context(Progress(*columns, TimeElapsedColumn()))
        bare = stack.enter_context(serve.serve_bare())
        for name in given.databases.split(","):
            with database_address(name) as url:
                for each in measure_database(name, url, bare, given, progress):
                    results.append(each)
                    RESULTS.write_text(results_page(results, list(missed_targets(results)), command))
    if "postgres" in given.databases:
        from tests.support.databases import leave

        leave()
    shown = Table(*COLUMNS)
    for each in results:
        shown.add_row(*each.cells())
    Console().print(shown)
    verdicts = list(missed_targets(results))
    for line in verdicts:
        Console().print(f"[red]missed[/]: {line}")
    return int(bool(verdicts))


if __name__ == "__main__":
    sys.exit(main())
