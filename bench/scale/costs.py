"""Cost of a call: processor seconds by number of nodes, queries and notices."""

import asyncio
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
from scripts.two_postgres import Server, one_postgres

from bench.cases import chosen_cases
from bench.queries import count_statements
from bench.scale.nodes import Node
from bench.seed import Business, seed_orders
from bench.serve import free_port, run_load
from haulier.adapters.migrations import upgrade_schema

NODE_COUNTS = (1, 2, 3, 4)
STORED = 2000
SECONDS = 5.0
CHANNELS = ("tracking", "haulier_job", "dispatch")


def measure_costs() -> Iterator[str]:
    """Yield the lines of the page."""
    with one_postgres(free_port()) as server:
        upgrade_schema(server.url())
        business = Business()
        seed_orders(server.url(), business, STORED, lambda _: None)
        yield "## Cost of calls"
        yield ""
        yield "Three reads and one write (a new order) in turn, sixteen connections per node, no background work. Two"
        yield "processors prove no throughput: the result is calls per second of processor time."
        yield ""
        yield "| nodes | calls/s | calls per processor second | of nodes | of PostgreSQL |"
        yield "| ---: | ---: | ---: | ---: | ---: |"
        notices = defaultdict[str, list[int]](list)
        for count in NODE_COUNTS:
            yield _cells(count, *_measure_nodes(count, server, business, notices))
        yield ""
        yield "| notices of | number | bytes each |"
        yield "| --- | ---: | ---: |"
        for channel, sizes in sorted(notices.items()):
            yield f"| {channel} | {len(sizes):,} | {sum(sizes) / len(sizes):.0f} |"
        yield ""
        yield "| call | queries |"
        yield "| --- | ---: |"
        cases = chosen_cases(business, None, smallest=True)
        for name, queries in asyncio.run(count_statements(server.url(), cases)).items():
            yield f"| {name} | {queries} |"
        yield ""


def _measure_nodes(
    count: int, server: Server, business: Business, notices: defaultdict[str, list[int]]
) -> tuple[float, float, float]:
    """Return calls, and processor seconds of the nodes and of PostgreSQL."""
    requests = mixed_requests(business, count)
    with tempfile.TemporaryDirectory(prefix="haulier-scale-") as folder:
        nodes = [Node(f"serve-{n}", "serve", server.url(), Path(folder)) for n in range(count)]
        try:
            for node in nodes:
                node.start()
            for node in nodes:
                node.wait()
            with ThreadPoolExecutor(count + 1) as pool:
                pool.submit(asyncio.run, _hear(server, notices, SECONDS))
                before = [sum(node.cpu_seconds() for node in nodes), server.cpu_seconds()]
                loads = [pool.submit(run_load, node.port, requests, SECONDS) for node in nodes]
                results = [load.result() for load in loads]
                after = [sum(node.cpu_seconds() for node in nodes), server.cpu_seconds()]
        finally:
            for node in nodes:
                node.stop()
    if refused := sum(each["not_ok"] for each in results):
        raise RuntimeError(f"{refused} answers were not 2xx")
    # Includes the warm-up, because processor time is measured from its start.
    calls = sum(each["answered"] for each in results)
    return calls, after[0] - before[0], after[1] - before[1]


def mixed_requests(business: Business, run: int) -> list[dict[str, Any]]:
    """Return requests for a list, an order, a timeline and a new order in turn."""
    mine = {"Authorization": f"Bearer {business.token}"}
    there = {"name": "Ada Lovelace", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
    order = {"order_ref": f"{run}-{time.time_ns()}-{{n}}", "consignee": {**there, "lat": 43.6534, "lng": -79.3841}}
    requests: list[dict[str, Any]] = []
    for at in range(0, STORED, 40):
        requests += [
            {"path": f"/api/v1/orders?page={1 + at % 20}&per_page=25", "headers": mine},
            {"path": f"/api/v1/orders/{business.ids[at]}", "headers": mine},
            {"path": f"/api/v1/otep/trackings/{business.number(at)}"},
            {"method": "POST", "path": "/api/v1/client/orderCreate", "headers": mine, "body": json.dumps(order)},
        ]
    return requests


async def _hear(server: Server, notices: defaultdict[str, list[int]], seconds: float) -> None:
    connection = await asyncpg.connect(server.url())
    for channel in CHANNELS:
        await connection.add_listener(channel, partial(_note, notices))
    await asyncio.sleep(seconds)
    await connection.close()


def _note(notices: defaultdict[str, list[int]], _connection: Any, _pid: int, channel: str, payload: object) -> None:
    notices[channel].append(len(str(payload).encode()))


def _cells(count: int, calls: float, nodes_s: float, database_s: float) -> str:
    rates = (calls / SECONDS, calls / (nodes_s + database_s), calls / nodes_s, calls / database_s)
    return f"| {count} | {' | '.join(f'{rate:,.0f}' for rate in rates)} |"
