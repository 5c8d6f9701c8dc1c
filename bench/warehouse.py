"""Cost of scans and reports by amount of stock: `python -m bench.warehouse`.

Everything runs in this process on both databases, through the whole pipeline without sockets. `bench.warehouse_stock`
fills the database.
"""

import argparse
import asyncio
import gc
import os
import platform
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from rich.console import Console
from tests.support.app import App, make_app
from tests.support.databases import cluster

from bench.databases import database_address, private_cluster
from bench.warehouse_stock import BENCH, SHELVES, Stock, fill_stock, sku_of
from haulier.contexts.warehouse.scans.contract import ARRIVALS_MAX, SCANS_MAX

PAGE = Path(__file__).parent / "WAREHOUSE.md"
WARMING = 20
"""Warm-up calls; `measure` numbers them -1 to -20."""
ORDERS_OF_A_ROUTE, PIECES_OF_AN_ORDER = 4, 50
REPORTS: dict[str, tuple[str, dict[str, Any]]] = {
    "ABC report of 90 days": ("get_abc_report", {}),
    "ABC report of a year, one warehouse": ("get_abc_report", {"date_from": "2025-06-11", "date_to": "2026-06-10"}),
    "age report": ("get_stock_age", {}),
    "age report, one warehouse": ("get_stock_age", {}),
    "inventory": ("get_inventory", {}),
}
console = Console(width=120)
OneCall = Callable[[int], Awaitable[object]]


class Measured(NamedTuple):
    """Wall-clock and processor seconds of each call, with database processes."""

    name: str
    clock_s: list[float]
    processor_s: list[float]

    def line(self) -> str:
        """Return a table row."""
        values = [1000 * share(times, part) for times in (self.processor_s, self.clock_s) for part in (0.5, 0.99)]
        return f"| {self.name} | {len(self.clock_s)} | " + " | ".join(f"{each:.1f}" for each in values) + " |"


def share(times: Sequence[float], part: float) -> float:
    """Return a quantile of times."""
    return sorted(times)[max(0, -(-int(len(times) * part * 100) // 100) - 1)]


def processor_s() -> float:
    """Return the processor seconds of this process and its PostgreSQL so far."""
    return time.process_time() + sum(map(_run_time_s, _SERVER))


def _run_time_s(pid: int) -> float:
    # Not `cpu_times`: its resolution of 10 ms exceeds the cost of a scan.
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except (FileNotFoundError, ProcessLookupError):
        return 0.0


_SERVER: list[int] = []


def find_server(database: str) -> None:
    """Record the processes of the private PostgreSQL.

    They are a process for each connection, and the background workers.
    """
    _SERVER.clear()
    if database == "postgres":
        postmaster = psutil.Process(int(cluster().read("SELECT pg_backend_pid()")[0][0])).parent()
        _SERVER.extend(child.pid for child in (postmaster.children() if postmaster else ()))


async def measure(name: str, calls: int, one: OneCall) -> Measured:
    """Call a function several times in succession."""
    for number in range(-WARMING, 0):
        await one(number)
    find_server("postgres" if _SERVER else "sqlite")
    gc.collect()
    clock: list[float] = []
    spent: list[float] = []
    for number in range(calls):
        begun, start = processor_s(), time.perf_counter()
        await one(number)
        clock.append(time.perf_counter() - start)
        spent.append(processor_s() - begun)
    return Measured(name, clock, spent)


def scan(app: App, hall: int, id: str, kind: str, code: str, **words: Any) -> dict[str, Any]:
    """Return the body of a scan request."""
    asked = {"scan_id": id, "kind": kind, "code": code, "warehouse_id": hall, "occurred_at": app.clock.now.isoformat()}
    return asked | words


def one_scan(app: App, hall: int, kind: str, values: Callable[[int], dict[str, Any]]) -> OneCall:
    """Return a call that sends one scan; `values` returns its code and other fields."""

    async def call(number: int) -> None:
        sent = scan(app, hall, f"{kind}-{number}", kind, **values(number))
        answer = (await app.answer("admin", "record_scan", {"device_id": f"bench-{kind}", **sent})).scan
        assert answer.outcome in ("done", "wrong_warehouse"), answer

    return call


async def stock_cases(app: App, stock: Stock, calls: int) -> list[Measured]:
    """Measure scans of stock."""
    hall = stock.hall

    def shelf(number: int) -> str:
        return f"YYZ-S-{number % SHELVES}"

    def here(number: int) -> dict[str, Any]:
        return {"code": sku_of(number), "location": shelf(number)}

    await reserve_orders(app, stock, calls)
    found = [
        await measure("receive", calls, one_scan(app, hall, "receive", here)),
        await measure(
            "put away", calls, one_scan(app, hall, "put_away", lambda n: {**here(n), "to_location": shelf(n + 7)})
        ),
        await measure("move", calls, one_scan(app, hall, "move", lambda n: {**here(n), "to_location": shelf(n + 11)})),
        await measure(
            "pick what is reserved",
            calls,
            one_scan(
                app,
                hall,
                "pick",
                lambda n: {**here(n), "to_location": f"YYZ-{BENCH}", "reference": f"W-{n + WARMING}"},
            ),
        ),
        await measure("count", calls, one_scan(app, hall, "count", lambda n: {**here(n), "quantity": 3})),
        await measure(
            "count, all of one shelf",
            calls,
            one_scan(app, hall, "count", lambda n: {"code": sku_of(n), "location": shelf(0), "scan_id": f"shelf-{n}"}),
        ),
    ]

    async def many(number: int) -> None:
        rows = [scan(app, hall, f"{number}-{row}", "receive", **here(number + row)) for row in range(SCANS_MAX)]
        await app.answer("admin", "sync_scans", {"device_id": "many", "scans": rows})

    return [*found, await measure(f"{SCANS_MAX} scans of a queue", max(20, calls // 20), many)]


async def reserve_orders(app: App, stock: Stock, calls: int) -> None:
    """Reserve one item for each pick, which is received first."""
    for number in range(-WARMING, calls):
        lines = [{"sku": sku_of(number), "quantity": 1}]
        came = [{**lines[0], "location_id": stock.shelves[number % SHELVES]}]
        await app.answer("admin", "receive_stock", {"lines": came})
        asked = {"warehouse_id": stock.hall, "reference": f"W-{number + WARMING}", "lines": lines}
        await app.answer("admin", "reserve_stock", asked)


async def package_cases(app: App, stock: Stock, calls: int) -> list[Measured]:
    """Measure scans of packages: into vehicles, onto a transfer, and off it."""
    here, there = stock.hall, stock.other
    parcels = await some_parcels(app, calls + WARMING)
    boxes = [f"BOX-{number}" for number in range(calls + WARMING)]
    for begin in range(0, len(boxes), ARRIVALS_MAX):
        part = boxes[begin : begin + ARRIVALS_MAX]
        await app.answer("admin", "expect_arrivals", {"warehouse_id": there, "day": "2026-06-10", "numbers": part})
    load = one_scan(
        app,
        here,
        "load",
        lambda n: {"code": parcels[n + WARMING][1], "route_id": parcels[n + WARMING][0]},
    )
    out = one_scan(app, here, "receive", lambda n: {"code": boxes[n + WARMING], "start_transfer": True})
    found = [await measure("load", calls, load), await measure("onto a transfer", calls, out)]
    for transfer in (await app.answer("admin", "list_transfers", {})).transfers:
        await app.answer("admin", "dispatch_transfer", {"transfer_id": transfer.id})
    came = one_scan(app, there, "receive", lambda n: {"code": boxes[n + WARMING], "scan_id": f"came-{n}"})
    return [*found, await measure("off a transfer", calls, came)]


async def some_parcels(app: App, count: int) -> list[tuple[int, str]]:
    """Return packages of routed orders, with their routes."""
    place = {"name": "North", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
    depot = (await app.answer("admin", "create_depot", place)).depot.id
    consignee = {"name": "Zoë", "address": "1 King St W", "city": "Toronto", "country": "CA", "lat": 43.6, "lng": -79.3}
    wanted = {"consignee": consignee, "packages": [{"weight_g": 900, "quantity": PIECES_OF_AN_ORDER}]}
    parcels: list[tuple[int, str]] = []
    while len(parcels) < count:
        route = (await app.answer("admin", "create_route", {"day": "2026-06-10", "depot_id": depot})).route.id
        orders = [(await app.answer("admin", "create_order", wanted)).order.id for _ in range(ORDERS_OF_A_ROUTE)]
        await app.answer("admin", "add_orders_to_route", {"route_id": route, "order_ids": orders})
        for order in orders:
            detail = (await app.answer("admin", "get_order_detail", {"order_id": order})).order
            parcels += [(route, piece.tracking_number) for piece in detail.packages]
    return parcels


async def report_cases(app: App, stock: Stock) -> list[Measured]:
    """Measure reports and the inventory."""
    found: list[Measured] = []
    for name, (operation, values) in REPORTS.items():
        asked = values | ({"warehouse_id": stock.hall} if "one warehouse" in name else {})

        async def call(number: int, operation: str = operation, asked: dict[str, Any] = asked) -> None:
            await app.answer("admin", operation, asked)

        found.append(await measure(name, 12, call))
    return found


async def measure_on(url: str, calls: int, movements: int) -> list[Measured]:
    """Measure scans and reports on a database with a number of movements."""
    async with make_app(url) as app:
        stock = await fill_stock(app, movements)
        reports = await report_cases(app, stock)
        return [*await stock_cases(app, stock, calls), *await package_cases(app, stock, calls), *reports]


def tables(databases: Sequence[str], sizes: Sequence[int], calls: int) -> list[str]:
    """Return a table for each database and size."""
    shown: list[str] = []
    for database in databases:
        for size in sizes:
            if database == "postgres":
                cluster().sweep()
            find_server(database)
            with database_address(database) as url:
                found = asyncio.run(measure_on(url, calls, size))
            load = os.getloadavg()[0]
            shown += [
                f"## {database}, {size:,} movements (load average {load:.0f})\n",
                "| | calls | p50 ms of the processors | p99 | p50 ms by the clock | p99 |",
                "|---|---|---|---|---|---|",
                *(each.line() for each in found),
                "",
            ]
            console.print(*shown[-len(found) - 4 :], sep="\n", markup=False)
    return shown


def main() -> None:
    """Measure and write the results page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--movements", nargs="+", type=int, default=[1_000, 1_000_000])
    asked = parser.parse_args()
    with private_cluster(asked.databases):
        shown = tables(asked.databases, asked.movements, asked.calls)
    machine = f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores"
    PAGE.write_text(
        f"""# Cost of scans

`python -m bench.warehouse --calls {asked.calls} --movements {" ".join(map(str, asked.movements))}`,
{datetime.now(UTC):%Y-%m-%d}, {machine}.

One process, through the whole pipeline without sockets, one call after another. Processor time is that of this process and of
PostgreSQL; wall-clock time also includes the disk and other work on the machine. Products and shelves are those of
`bench/warehouse_stock.py`, with a tenth of all movements on one product, over two years. The target for a scan is 20 ms at p99.

"""
        + "\n".join(shown)
    )


if __name__ == "__main__":
    main()
