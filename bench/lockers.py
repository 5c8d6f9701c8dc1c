"""Locker throughput: `python -m bench.lockers`.

It measures heartbeats of 2,000 locker banks with 60,000 compartments, the latency of doors, and 10,000 attempts to
reserve 500 compartments. Heartbeats and doors use a server in a separate process, as devices do; the attempts run
through the whole pipeline of one process, with as many as possible in parallel. Both databases are measured.
"""

import argparse
import asyncio
import json
import os
import platform
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from tests.support.databases import cluster

from bench.databases import BenchDatabase, bench_database, private_cluster
from bench.seed import Business, seed_people
from bench.serve import HOST, RunningServer, run_haulier, run_load
from haulier.adapters.database import database_for
from haulier.app import build_application
from haulier.contexts.lockers.devices.store.devices import devices, keys
from haulier.contexts.lockers.sites.store import boxes, cabinets, parcels, sites
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import handle_request
from haulier.kernel.values.ids import hash_token
from haulier.settings import Settings
from haulier.simulation.lockers.faults import CabinetFaults
from haulier.simulation.lockers.town import simulate_lockers

PAGE = Path(__file__).parent / "LOCKERS.md"
CABINETS, BOXES = 2_000, 30
TRIES, SCARCE, AT_ONCE = 10_000, 500, 400
TOWN, SENT = 100, 300
ROWS_AT_ONCE = 5_000
console = Console(width=120)


def credential_of(number: int) -> str:
    """Return the credential of a seeded device."""
    return f"hldevice_{number:012d}"


def rows_of(number: int, at: datetime) -> dict[str, Any]:
    """Return the row of a registered device."""
    return {
        "name": f"Cabinet {number}",
        "kind": "cabinet",
        "serial": f"BENCH-{number}",
        "status": "active",
        "firmware_channel": "stable",
        "telemetry": {},
        "last_sequence": 0,
        "wrong_codes": 0,
        "created_at": at,
    }


async def fill_lockers(work: UnitOfWork, at: datetime) -> None:
    """Insert 2,000 sites with locker banks, and one site with 500 compartments.

    Each locker bank has 30 compartments and a registered device.
    """
    many = range(CABINETS)
    place = {"address": "", "lng": -79.38, "accessibility": [], "retired": False, "created_at": at}
    halls = await work.insert_many(sites, [{**place, "name": f"Hall {n}", "lat": 43 + n / 1000} for n in many])
    machines = await work.insert_many(devices, [rows_of(n, at) for n in many])
    shown = {"purpose": "credential", "created_at": at}
    kept = zip(many, machines, strict=True)
    await work.insert_many(
        keys, [{**shown, "device_id": id, "key_sha256": hash_token(credential_of(n))} for n, id in kept]
    )
    plain = {"code": "A", "retired": False, "created_at": at}
    placed = zip(halls, machines, strict=True)
    furniture = await work.insert_many(cabinets, [{**plain, "site_id": s, "device_id": d} for s, d in placed])
    made = [
        box_of(site, cabinet, number)
        for site, cabinet in zip(halls, furniture, strict=True)
        for number in range(1, BOXES + 1)
    ]
    for begin in range(0, len(made), ROWS_AT_ONCE):
        await work.insert_many(boxes, made[begin : begin + ROWS_AT_ONCE])
    scarce = await work.insert(sites, **place, name="Scarce", lat=40.0)
    last = await work.insert(cabinets, **plain, site_id=scarce)
    await work.insert_many(boxes, [box_of(scarce, last, number) for number in range(1, SCARCE + 1)])


def box_of(site: int, cabinet: int, number: int) -> dict[str, Any]:
    """Return the row of a usable compartment."""
    where = {"site_id": site, "cabinet_id": cabinet, "number": number}
    return {**where, "size": "s", "size_rank": 0, "low": False, "usable": True, "state": "ready"}


async def seed_lockers(url: str) -> Business:
    """Insert staff and lockers into an empty database."""
    database, business = database_for(url), Business()
    await database.open()
    try:
        await seed_people(database, business)
        async with database.write(business.client_id) as work:
            await fill_lockers(work, datetime.now(UTC))
    finally:
        await database.close()
    return business


def heartbeats(server: RunningServer, database: BenchDatabase, seconds: float, *, doors: bool) -> list[str]:
    """Send heartbeats of all locker banks in turn at full speed; return a table row."""
    at = datetime.now(UTC).isoformat()
    said: dict[str, Any] = {"sent_at": at, "battery_pct": 90, "firmware": "2.4.1", "network": "lte"}
    if doors:
        said["doors"] = [{"box": number, "open": False} for number in range(1, BOXES + 1)]
    requests = [
        {
            "method": "POST",
            "path": "/api/v1/device/state",
            # The leading 1: JSON numbers must not begin with a zero.
            "body": json.dumps({"credential": credential_of(n), **said})[:-1] + ', "sequence": 1{n}}',
        }
        for n in range(CABINETS)
    ]
    begun = server.processor_s(), database.processor_s()
    result = run_load(server.port, requests, seconds)
    spent = [now - then for now, then in zip((server.processor_s(), database.processor_s()), begun, strict=True)]
    if result["not_ok"]:
        raise RuntimeError(f"{result['not_ok']} heartbeats were refused")
    each = [f"{1000 * part / result['answered']:.2f}" for part in spent]
    name = f"heartbeat with {BOXES} doors" if doors else "heartbeat"
    return [name, f"{result['per_second']:,.0f}", f"{result['p50_ms']:.1f}", f"{result['p99_ms']:.1f}", *each]


async def door_times(port: int, token: str) -> list[str]:
    """Return the time until door openings are confirmed, for 100 locker banks."""
    # No keep-alive: the server may close an idle connection just when a request starts.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=f"http://{HOST}:{port}/api", limits=limits, timeout=60) as http:
        town = await simulate_lockers(
            http, token, cabinets=TOWN, boxes=BOXES, parcels=SENT, faults=CabinetFaults(), wait_s=15
        )
    if town.faults or town.ends["collected"] != SENT:
        raise RuntimeError(f"parcels are missing: {town.ends} {town.faults}")
    return [f"{1000 * town.percentile_s(part):.0f}" for part in (0.5, 0.99)]


@asynccontextmanager
async def make_application(url: str) -> AsyncGenerator[Application]:
    """Yield the application over a seeded database."""
    app = build_application(Settings(database=url, rate_limits=False, background=False))
    await app.database.open()
    try:
        yield app
    finally:
        await app.database.close()


async def tries(url: str, business: Business) -> str:
    """Run 10,000 attempts, 400 in parallel, for 500 compartments.

    Raises an error if a compartment has two parcels.
    """
    async with make_application(url) as app:
        async with app.database.read(business.client_id) as work:
            scarce = next(row.id for row in await work.all(sites.select()) if row.name == "Scarce")
        body = json.dumps({"site_id": scarce, "recipient": {"name": "Ada"}}).encode()
        waiting, ends = iter(range(TRIES)), Counter[str]()

        async def some() -> None:
            for number in waiting:
                asked = OperationRequest(
                    operation=app.registry["reserve_locker_box"],
                    interface="rest",
                    request_id=str(number),
                    body=body,
                    token=business.token,
                )
                result = await handle_request(app, asked)
                ends[result.error["code"] if result.error else "got a compartment"] += 1

        began = time.perf_counter()
        await asyncio.gather(*(some() for _ in range(AT_ONCE)))
        took = time.perf_counter() - began
        async with app.database.read(business.client_id) as work:
            live = Counter(row.box_id for row in await work.all(parcels.select()) if row.site_id == scarce)
    if set(live.values()) != {1} or len(live) != ends["got a compartment"]:
        raise RuntimeError(f"{len(live)} boxes, {live.total()} parcels, {ends}")
    outcomes = ", ".join(f"{what}: {count:,}" for what, count in sorted(ends.items()))
    return f"{TRIES:,} attempts in {took:.1f} s; {outcomes}; parcels per compartment at most: {max(live.values())}"


def measure_on(name: str, seconds: float) -> list[str]:
    """Return the section of a database."""
    with bench_database(name) as database:
        business = asyncio.run(seed_lockers(database.url))
        with run_haulier(database.url) as server:
            rows = [heartbeats(server, database, seconds, doors=doors) for doors in (False, True)]
            half, most = asyncio.run(door_times(server.port, business.token))
        if name == "postgres":  # autovacuum does this within a minute on a real server; the private cluster has none
            for table in ("locker_box", "locker_parcel"):
                cluster().ask(f"ANALYZE {table}")
        tried = asyncio.run(tries(database.url, business))
    load = os.getloadavg()[0]
    return [
        f"## {name} (load average {load:.0f})\n",
        "| | a second | p50 ms | p99 ms | server ms each | database ms each |",
        "|---|---|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
        f"\nFrom the request until the door is confirmed as open: p50 {half} ms, p99 {most} ms ({SENT} doors).\n",
        f"{tried}.\n",
    ]


def main(asked: Sequence[str] | None = None) -> None:
    """Measure and write the results page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--look", action="store_true", help="write no page")
    options = parser.parse_args(asked)
    shown: list[str] = []
    with private_cluster(options.databases):
        for name in options.databases:
            section = measure_on(name, options.seconds)
            console.print(*section, sep="\n", markup=False)
            shown += section
    if options.look:
        return
    machine = f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores"
    PAGE.write_text(
        f"""# Cost of lockers

`python -m bench.lockers --seconds {options.seconds:g}`, {datetime.now(UTC):%Y-%m-%d}, {machine}.

{CABINETS:,} locker banks with {CABINETS * BOXES:,} compartments. One `haulier serve` process over HTTP, with sixteen
connections that send the heartbeats of all locker banks in turn, each as soon as the previous one is answered. Doors are
opened in a group of {TOWN} simulated locker banks that wait for commands by long polling, sixteen parcels at a time; locker
banks, staff and load share the machine with the server.
{TRIES:,} attempts to reserve one of {SCARCE} compartments run in one process, {AT_ONCE} at any moment.

"""
        + "\n".join(shown)
    )


if __name__ == "__main__":
    main()
