"""`python -m bench.warehouse`: what a scan costs, sent at once and out of the queue of a device, on both databases.

Everything runs in this process, through the whole pipeline but no socket. Every scan puts one piece on one of many shelves.
Processor milliseconds are those of this process; those of PostgreSQL are not among them.
"""

import argparse
import asyncio
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from tests.contexts.warehouse.makers import a_product, a_warehouse, some_locations
from tests.support.app import App, an_app

from bench.databases import database_address, private_cluster
from bench.shipping import Measured, measure
from haulier.contexts.warehouse.scans.contract import SCANS_MAX

PAGE = Path(__file__).parent / "WAREHOUSE.md"
SHELVES = 200
console = Console(width=120)


def scan(app: App, hall: int, number: int, row: int = 0) -> dict[str, Any]:
    """One piece that is received."""
    return {
        "scan_id": f"{number}-{row}",
        "kind": "receive",
        "code": "MUG",
        "warehouse_id": hall,
        "location": f"YYZ-A-{(number + row) % SHELVES}",
        "occurred_at": app.clock.now.isoformat(),
    }


async def cases(app: App, calls: int) -> list[Measured]:
    """Scans one by one, and a hundred in a call."""
    hall = await a_warehouse(app)
    await some_locations(app, hall, *(f"A-{number}" for number in range(SHELVES)))
    await a_product(app)

    async def one(number: int) -> None:
        await app.answer("admin", "record_scan", {"device_id": "one", **scan(app, hall, number)})

    async def many(number: int) -> None:
        rows = [scan(app, hall, number, row) for row in range(SCANS_MAX)]
        await app.answer("admin", "sync_scans", {"device_id": "many", "scans": rows})

    return [
        await measure("a scan", calls, one),
        await measure(f"{SCANS_MAX} scans of a queue", max(20, calls // 20), many),
    ]


async def measure_on(url: str, calls: int) -> list[Measured]:
    """What scans cost on a database."""
    async with an_app(url) as app:
        return await cases(app, calls)


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--calls", type=int, default=2000)
    asked = parser.parse_args()
    lines: list[str] = []
    with private_cluster(asked.databases):
        for database in asked.databases:
            with database_address(database) as url:
                found = asyncio.run(measure_on(url, asked.calls))
            lines += [each._replace(name=f"{each.name}, {database}").line() for each in found]
    machine = f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores"
    load = os.getloadavg()[0]
    PAGE.write_text(
        f"""# What scans cost

`python -m bench.warehouse --calls {asked.calls}`, {datetime.now(UTC):%Y-%m-%d}, {machine}, load average {load:.0f}.

One process, through the whole pipeline without a socket; each scan puts a piece on one of {SHELVES} shelves. The
processor's time is that of this process alone.

| | calls | processor ms each | a second and core | p50 ms by the clock | p99 ms |
|---|---|---|---|---|---|
"""
        + "\n".join(lines)
        + "\n"
    )
    console.print(PAGE.read_text())


if __name__ == "__main__":
    main()
