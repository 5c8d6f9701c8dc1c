"""Cost of reports with few and many orders: `python -m bench.reports`.

Orders are copies of one, inserted as rows over a year for several customers and drivers; `correct_sums` computes their
aggregates. Everything runs in this process, so interfaces and network are not included. Results are medians of several
calls.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from sqlalchemy import select
from tests.support.app import App, make_app
from tests.support.transport import make_order

from bench.databases import database_address, private_cluster
from haulier.contexts.analytics.public import correct_sums
from haulier.contexts.control_tower.public import sum_truths
from haulier.contexts.orders.delivery_orders.store.tables import orders

CUSTOMERS, DRIVERS, DAYS = 20, 10, 365
FIRST = date(2025, 6, 11)
ROWS_AT_ONCE = 5_000
REPEATS = 41
STATUSES = (6, 6, 6, 6, 6, 6, 6, 7, 8, 10)
"""Seven of ten orders are delivered."""
MONTH = {"date_from": "2026-05-01", "date_to": "2026-05-31"}
YEAR = {"date_from": "2025-06-11", "date_to": "2026-06-10"}
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "digest of a day": ("daily_digest", {"day": "2026-05-05"}),
    "a month by day": ("get_orders_summary", MONTH),
    "a month by customer": ("get_orders_summary", {**MONTH, "group_by": "customer"}),
    "a year by day": ("get_orders_summary", YEAR),
    "a year by customer": ("get_orders_summary", {**YEAR, "group_by": "customer"}),
    "a year by hour": ("get_orders_summary", {**YEAR, "group_by": "hour"}),
    "insights of a year": ("get_orders_insights", {**YEAR, "compare": "last_year"}),
    "earnings of a year by driver": ("get_earnings_report", {**YEAR, "group_by": "driver"}),
}


async def fill(app: App, known: int, size: int, *, postgres: bool = False) -> None:
    """Insert orders up to a size, and their aggregates."""
    client = app.clients["demo"]
    async with app.database.read(client) as work:
        row = (await work.all(select(orders).limit(1)))[0]
    kept = {
        column.name: getattr(row, column.name) for column in orders.columns if column.name not in {"id", "client_id"}
    }
    for begin in range(known, size, ROWS_AT_ONCE):
        rows = [
            kept
            | {
                "tracking_number": f"B{number}",
                "customer_id": 1_000 + number * 7 % CUSTOMERS,
                "driver_id": 2_000 + number * 13 % DRIVERS,
                "status": STATUSES[number // DAYS % len(STATUSES)],
                "counted_day": FIRST + timedelta(days=number % DAYS),
                "counted_hour": number % 24,
                "on_time": number % 20 != 0,
            }
            for number in range(begin, min(begin + ROWS_AT_ONCE, size))
        ]
        async with app.database.write(client) as work:
            await work.insert_many(orders, rows)
    async with app.database.write(client) as work:
        await correct_sums(work, sum_truths())
    if postgres:
        _analyse()


def _analyse() -> None:
    """Run ANALYZE, as autovacuum does on a real server."""
    from tests.support.databases import cluster

    for table in ("delivery_order", "daily_sum", "sum_entry"):
        cluster().ask(f"VACUUM ANALYZE {table}")


async def cost(app: App, operation: str, values: dict[str, Any]) -> tuple[float, float]:
    """Return the wall-clock and processor milliseconds of an operation."""
    await app.answer("admin", operation, values)
    walls, cpus = [], []
    for _ in range(REPEATS):
        wall, cpu = time.perf_counter(), time.process_time()
        await app.answer("admin", operation, values)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return statistics.median(walls) * 1000, statistics.median(cpus) * 1000


async def measure(url: str, sizes: Sequence[int]) -> dict[str, list[tuple[float, float]]]:
    """Return the cost of each report at each size."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ASKED}
    async with make_app(url) as app:
        await make_order(app)
        known = 0
        for size in sizes:
            await fill(app, known, size, postgres=url.startswith("postgres"))
            known = size
            for name, (operation, values) in ASKED.items():
                found[name].append(await cost(app, operation, values))
    return found


def main() -> None:
    """Measure and print a table for each database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--sizes", nargs="+", type=int, default=[10_000, 1_000_000])
    asked = parser.parse_args()
    with private_cluster(asked.databases):
        for database in asked.databases:
            with database_address(database) as url:
                found = asyncio.run(measure(url, asked.sizes))
            print(database, *(f"{size:,} orders" for size in asked.sizes), "times", sep=" | ")
            for name, costs in found.items():
                shown = [f"{wall:.1f} ms ({cpu:.1f} cpu)" for wall, cpu in costs]
                print(name, *shown, f"{costs[-1][0] / costs[0][0]:.2f}", sep=" | ", flush=True)


if __name__ == "__main__":
    main()
