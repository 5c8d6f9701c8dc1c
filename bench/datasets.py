"""Import and search of records as a dataset grows: `python -m bench.datasets`.

A dataset grows by imports through the operation and its job to each size; the rows of the last file are timed. Every
kind of search then runs through the whole pipeline with a different place, word or value each time; the median of
twenty counts, in processor time of this thread and of PostgreSQL, and in wall-clock time. Everything runs in this
process, so interfaces and network are not included.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from tests.support.app import App, make_app

from bench.databases import database_address
from bench.processor import processes_of, processor_ms

RESULTS_PAGE = Path(__file__).parent / "DATASETS.md"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
ROWS_PER_FILE = 100_000
TIMED_ROWS = 10_000
REPEATS = 20
STREETS = 20_000
"""Number of distinct street names; a street has about fifty records in a million."""
SCHEMA = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "maxLength": 20},
        "name": {"type": "string"},
        "address": {"type": "string"},
        "kind": {"type": "string", "enum": ["dock", "gate", "yard", "shop"]},
        "bays": {"type": "integer", "minimum": 0},
        "opened": {"type": "string", "format": "date"},
    },
    "required": ["code"],
    "additionalProperties": False,
}
Request = dict[str, Any]


class Growth(NamedTuple):
    """Results at one size."""

    size: int
    rows_per_s: float
    cpu_us_per_row: float
    searches: dict[str, tuple[float, float, int]]
    """By kind: processor milliseconds, wall-clock milliseconds, and records found."""


def row(number: int) -> str:
    """Return a record as a CSV line, determined by its number."""
    draw = random.Random(number)
    address = f"{draw.randrange(1, 999)} Street{draw.randrange(STREETS)} Toronto"
    kind = ("dock", "gate", "yard", "shop")[number % 4]
    opened = f"20{draw.randrange(10, 26)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}"
    place = f"{43 + draw.random():.6f},{-80 + draw.random():.6f}"
    return f"R{number:07},Site {number},{address},{kind},{draw.randrange(500)},{opened},{place}\n"


def searches(dataset_id: int) -> dict[str, Callable[[random.Random], Request]]:
    """Return the kinds of searches; each call draws new values."""
    one: Request = {"dataset_id": dataset_id}
    return {
        "newest first": lambda draw: one,
        "by key": lambda draw: one | _only("code", equals=f"R{draw.randrange(10_000):07}"),
        "one value, sorted by another field": lambda draw: (
            one | _only("bays", equals=draw.randrange(500)) | {"sort": "opened"}
        ),
        "sorted by a field": lambda draw: one | {"sort": "opened", "descending": bool(draw.randrange(2))},
        "a month, sorted": lambda draw: (
            one
            | _only(
                "opened", at_least=f"2020-{draw.randrange(1, 13):02}-01", at_most=f"2020-{draw.randrange(1, 13):02}-28"
            )
            | {"sort": "opened"}
        ),
        "a rare word": lambda draw: one | {"search": f"street{draw.randrange(STREETS)}"},
        "two words": lambda draw: one | {"text": f"toronto street{draw.randrange(STREETS)}"},
        "a word of every record": lambda draw: one | {"search": "toronto"},
        "within 1 km, nearest first": lambda draw: one | {"near": _near(draw, 1000)},
        "within 20 km, nearest first": lambda draw: one | {"near": _near(draw, 20_000)},
        "counted to 10,000": lambda draw: one | {"with_total": True},
    }


def _only(field: str, **wanted: Any) -> Request:
    return {"filters": [{"field": field, **wanted}]}


def _near(draw: random.Random, radius_m: float) -> Request:
    return {"lat": 43.2 + draw.random() * 0.6, "lng": -79.8 + draw.random() * 0.6, "radius_m": radius_m}


async def bring(app: App, dataset_id: int, first: int, last: int) -> tuple[float, float]:
    """Import records; return the wall-clock and processor seconds."""
    content = "code,name,address,kind,bays,opened,lat,lng\n" + "".join(row(number) for number in range(first, last))
    request = {"dataset_id": dataset_id, "format": "csv", "content": content}
    wall, cpu = time.perf_counter(), time.process_time()
    begun = (await app.answer("admin", "import_dataset_records", request)).dataset_import
    await app.work_off()
    taken = time.perf_counter() - wall, time.process_time() - cpu
    done = (await app.answer("admin", "get_dataset_import", {"import_id": begun.id})).dataset_import
    if (done.state, done.created) != ("done", last - first):
        raise RuntimeError(f"the import ended {done.state} with {done.created} records")
    return taken


async def ask(
    app: App, make: Callable[[random.Random], Request], servers: Callable[[], list[int]]
) -> tuple[float, float, int]:
    """Return median processor and wall-clock milliseconds, and median records found."""
    draw, spent, times, counts = random.Random(7), [], [], []
    for _ in range(REPEATS):
        request, processes = make(draw), servers()
        begun, before = processor_ms(processes), time.perf_counter()
        answer = await app.answer("admin", "search_dataset_records", request)
        times.append((time.perf_counter() - before) * 1000)
        spent.append(processor_ms(processes) - begun)
        counts.append(len(answer.records))
    return statistics.median(spent), statistics.median(times), int(statistics.median(counts))


async def measure(
    url: str,
    sizes: list[int],
    servers: Callable[[], list[int]],
    analyse: Callable[[], None],
    tell: Callable[[str], None],
) -> list[Growth]:
    """Grow a dataset to each size and measure there."""
    found: list[Growth] = []
    async with make_app(url) as app:
        made = {
            "name": "Sites",
            "record_schema": SCHEMA,
            "key_field": "code",
            "indexed_fields": ["kind", "bays", "opened"],
        }
        dataset_id = (await app.answer("admin", "create_dataset", made)).dataset.id
        stored = 0
        for size in sizes:
            while stored < size - TIMED_ROWS:
                end = min(size - TIMED_ROWS, stored + ROWS_PER_FILE)
                await bring(app, dataset_id, stored, end)
                stored = end
                tell(f"{stored:,} records")
            wall, cpu = await bring(app, dataset_id, stored, size)
            rows = size - stored
            stored = size
            analyse()
            asked = {name: await ask(app, make, servers) for name, make in searches(dataset_id).items()}
            found.append(Growth(size, rows / wall, cpu / rows * 1e6, asked))
            tell(f"{size:,}: {rows / wall:.0f} rows/s; {asked}")
    return found


def analyse_postgres() -> None:
    """Run ANALYZE, as autovacuum does on a real server."""
    from tests.support.databases import cluster

    for table in ("dataset_record", "dataset_record_words", "dataset"):
        cluster().ask(f"ANALYZE {table}")


def postgres_processes() -> list[int]:
    """Return the processes of the private cluster."""
    from tests.support.databases import cluster

    folder = Path(cluster().ask("SHOW data_directory")[0][0])
    return processes_of(int((folder / "postmaster.pid").read_text().split()[0]))


def page(results: dict[str, list[Growth]], began: datetime, command: str) -> str:
    """Return the results page."""
    lines = [
        "# Datasets by number of records",
        "",
        f"- date: {began:%Y-%m-%d %H:%M} UTC",
        f"- command: `{command}`",
        f"- machine: {os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}; load"
        f" average at the end {', '.join(f'{load:.1f}' for load in os.getloadavg())}",
        "",
        "A record has a key, a place and six fields, three of them indexed. Each value is the median of"
        f" {REPEATS} searches for a page of 50, through the whole pipeline: milliseconds of all processors, then wall-clock"
        " milliseconds; the number of records found is in brackets.",
        "",
    ]
    for database, grown in results.items():
        sizes = [f"{each.size:,}" for each in grown]
        lines += [f"## {database}", "", f"| | {' | '.join(sizes)} |", f"| --- |{' ---: |' * len(sizes)}"]
        lines.append(f"| import, rows/s | {' | '.join(f'{each.rows_per_s:,.0f}' for each in grown)} |")
        lines.append(
            f"| import, microseconds of our processor a row | {' | '.join(f'{each.cpu_us_per_row:.0f}' for each in grown)} |"
        )
        for name in grown[0].searches:
            cells = [
                f"{spent:.1f}, {waited:.0f} ms ({found})"
                for spent, waited, found in (each.searches[name] for each in grown)
            ]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bench.datasets", description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="records, with commas between")
    parser.add_argument("--databases", default="sqlite,postgres", help="which, with commas between")
    parser.add_argument("--page", type=Path, default=RESULTS_PAGE, help="where the page is written")
    options = parser.parse_args()
    began, console, results = datetime.now(UTC), Console(), dict[str, list[Growth]]()
    sizes = [int(size) for size in options.sizes.split(",")]
    for name in options.databases.split(","):
        with database_address(name) as url:
            analyse, servers = (analyse_postgres, postgres_processes) if name == "postgres" else (_nothing, list[int])
            results[name] = asyncio.run(
                measure(url, sizes, servers, analyse, lambda text, name=name: console.print(name, text))
            )
        words = sys.argv[1:]
        command = " ".join(["python -m bench.datasets", *words])
        options.page.write_text(page(results, began, command))
        console.print(json.dumps({"written": str(options.page), "databases": list(results)}))


def _nothing() -> None:
    pass


if __name__ == "__main__":
    main()
