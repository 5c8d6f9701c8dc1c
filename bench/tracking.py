"""`python -m bench.tracking`: reading and ingesting timelines, at up to ten million stored events.

Reads are relative to the bare server, as in `bench`; ingest is told in events a second, because a batch is what carriers
send. Every order that is stored brings twelve events. The projections have a measurement of their own, `bench.projections`.
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
from bench.__main__ import BARE, an_address
from bench.cases import COLD
from bench.seed import EVENTS, Business, grow
from haulier.adapters.database import connect
from haulier.contexts.tracking import public as tracking

RESULTS = Path(__file__).parent / "TRACKING.md"
READ_FLOORS = {"sqlite": 0.20, "postgres": 0.10}
SPARED_FLOOR = 0.35
READ, HOT, SPARED = "timeline read", "timeline read, hot", "timeline read, 304"
INGEST_FLOOR = 10_000
ROUNDS = 3
ABOUT = f"Of {ROUNDS} rounds of a read, and of {ROUNDS} of the bare server between them, the fastest count."
HEADS = ("case", "database", "stored events", "requests/s", "of bare", "events/s", "p50 ms", "p99 ms")


class Measured(Struct, frozen=True):
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
        """As text, in the order of `HEADS`."""
        events = f"{self.events:.0f}" if self.events else ""
        speed = (f"{self.per_second:.0f}", f"{self.ratio:.3f}", events)
        return (self.case, self.database, str(self.stored), *speed, f"{self.p50_ms:.2f}", f"{self.p99_ms:.2f}")


async def a_key(url: str, business: Business) -> str:
    """A provider's key of the benchmark's client."""
    database = connect(url)
    await database.open()
    try:
        async with database.write(None) as work:
            issued = await tracking.issue_provider_key(
                work, client_id=business.client_id, name="Swift Post", now=datetime.now(UTC), per_minute=10**6
            )
        return issued.key
    finally:
        await database.close()


def reads(business: Business, port: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Timelines of more numbers than are kept, so that each is read; of hot ones; of hot ones to whoever has them."""
    step = max(1, business.stored // COLD)
    paths = [f"/api/v1/otep/trackings/{business.number(at)}" for at in range(0, business.stored, step)][:COLD]
    if len(paths) < COLD:
        raise SystemExit(f"at least {COLD} orders, or the answers are not read but kept")
    yield READ, [{"path": path} for path in paths]
    yield HOT, [{"path": path} for path in paths[:200]]
    tags = {path: _tag(port, path) for path in paths[:200]}
    yield SPARED, [{"path": path, "headers": {"If-None-Match": tag}} for path, tag in tags.items()]


def _tag(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://{serve.HOST}:{port}{path}") as answer:
        return answer.headers["ETag"]


def ingests(business: Business, key: str, size: int) -> list[dict[str, Any]]:
    """Batches of scans, each of another parcel, of as many different parcels as two hundred batches touch."""
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
) -> Measured:
    """One case and the bare server by turns; of both the fastest round counts, for others use the machine too.

    A batch is sent once: a second round would bring the same events again.
    """
    rounds = [
        (serve.load(port, requests, given.seconds), serve.load(bare, BARE, given.seconds / 2))
        for _ in range(1 if batch else ROUNDS)
    ]
    if refused := sum(told["not_ok"] for told, _ in rounds) if case != SPARED else 0:
        raise RuntimeError(f"{case}: {refused} answers were not 2xx")
    told = max((told for told, _ in rounds), key=itemgetter("per_second"))
    per_second = told["per_second"]
    ratio = per_second / max(at_rest["per_second"] for _, at_rest in rounds)
    return Measured(case, name, stored, per_second, ratio, per_second * batch, told["p50_ms"], told["p99_ms"])


def database(name: str, url: str, bare: int, given: Any, progress: Progress) -> Iterator[Measured]:
    """Every case at every size."""
    business = Business()
    for size in given.sizes:
        task = progress.add_task(f"{name}: storing orders", total=size)
        grow(url, business, size, lambda done, task=task: progress.update(task, completed=done))
        key = asyncio.run(a_key(url, business))
        stored = size * EVENTS
        with serve.haulier(url) as port:
            for case, requests in reads(business, port):
                yield measure(port, bare, case, requests, name, stored, given)
            for batch in (100, 1000):
                requests = ingests(business, key, batch)
                yield measure(port, bare, f"ingest, batches of {batch}", requests, name, stored, given, batch)


def missed(results: list[Measured]) -> Iterator[str]:
    """The targets that the smallest size misses, and batches of a hundred that get slower as events pile up."""
    first = {(each.case, each.database): each for each in reversed(results)}
    last = {(each.case, each.database): each for each in results}
    for (case, name), each in first.items():
        floor = READ_FLOORS[name] if case == READ else SPARED_FLOOR if case in (HOT, SPARED) else 0
        if each.ratio < floor:
            yield f"{case}, {name}: {each.ratio:.3f} of bare, wanted {floor}"
        if case.endswith(" 100"):
            if each.events < INGEST_FLOOR:
                yield f"{case}, {name}: {each.events:.0f} events/s, wanted {INGEST_FLOOR}"
            if last[case, name].events < 0.75 * each.events:
                yield f"{case}, {name}: {last[case, name].events / each.events:.2f} of it at the largest size, wanted 0.75"


def page(results: list[Measured], verdicts: list[str], command: str) -> str:
    """What is kept."""
    lines = [
        "# Tracking",
        "",
        ABOUT,
        "",
        f"- date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"- command: `{command}`",
        "",
    ]
    lines += [f"| {' | '.join(HEADS)} |", "| --- | --- |" + " ---: |" * (len(HEADS) - 2)]
    lines += [f"| {' | '.join(each.cells())} |" for each in results]
    lines += ["", "## Targets missed", "", *([f"- {each}" for each in verdicts] or ["none"])]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, print, keep; 1 when a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.tracking", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--databases", default="sqlite,postgres")
    parser.add_argument("--sizes", default="10000,100000", help="stored orders, twelve events each, ascending")
    given = parser.parse_args()
    given.sizes = sorted(int(size) for size in given.sizes.split(","))
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    results: list[Measured] = []
    command = shlex.join(["python", "-m", "bench.tracking", *sys.argv[1:]])
    with ExitStack() as stack:
        progress = stack.enter_context(Progress(*columns, TimeElapsedColumn()))
        bare = stack.enter_context(serve.bare())
        for name in given.databases.split(","):
            with an_address(name) as url:
                for each in database(name, url, bare, given, progress):
                    results.append(each)
                    RESULTS.write_text(page(results, list(missed(results)), command))
    if "postgres" in given.databases:
        from tests.databases import leave

        leave()
    shown = Table(*HEADS)
    for each in results:
        shown.add_row(*each.cells())
    Console().print(shown)
    verdicts = list(missed(results))
    for line in verdicts:
        Console().print(f"[red]missed[/]: {line}")
    return int(bool(verdicts))


if __name__ == "__main__":
    sys.exit(main())
