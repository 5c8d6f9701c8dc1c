"""Latency of dispatch board updates: `python -m bench.board`.

A server runs in a separate process with a hundred connections to the stream of one day's board. Changes are made one
after the other over REST. The time of a change runs from before its request until a connection has read its message.
Results are the median and the 99th percentile of all messages, and the time until the last board received each change.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from datetime import date
from typing import Any

from msgspec import Struct

from bench import serve
from bench.databases import seeded_servers
from bench.interfaces import processor_seconds, server_process
from bench.page import keep_results
from bench.seed import Business

DAY = date(2099, 6, 10)
ROUTES, ORDERS = 20, 10
MAX_MS = 100.0
PATIENCE_S = 60
COLUMNS = (
    "boards",
    "database",
    "heard p50 ms",
    "heard p99 ms",
    "all heard p50 ms",
    "worst ms",
    "server CPU ms a change",
)


class BoardMeasurement(Struct, frozen=True):
    """One row of the table."""

    boards: int
    database: str
    heard_p50_ms: float
    heard_p99_ms: float
    all_p50_ms: float
    worst_ms: float
    processor_ms: float

    def cells(self) -> tuple[str, ...]:
        """Return the cells as text, in the order of `COLUMNS`."""
        times = (self.heard_p50_ms, self.heard_p99_ms, self.all_p50_ms, self.worst_ms, self.processor_ms)
        return (str(self.boards), self.database, *(f"{each:.0f}" for each in times))


class Board:
    """One open board, with the time of its last message."""

    def __init__(self) -> None:
        self.heard_at = 0.0
        self.heard = asyncio.Event()

    async def follow(self, port: int, token: str) -> None:
        """Read the stream of the day until the connection is closed."""
        reader, writer = await asyncio.open_connection(serve.HOST, port, limit=2**20)
        head = (
            f"GET /dispatch/stream?day={DAY} HTTP/1.1\r\nHost: {serve.HOST}\r\nCookie: haulier_session={token}\r\n\r\n"
        )
        writer.write(head.encode())
        try:
            while line := await reader.readline():
                if line.startswith(b"data:"):
                    self.heard_at = time.perf_counter()
                    self.heard.set()
        finally:
            writer.close()


async def measure(port: int, business: Business, name: str, boards: int, changes: int) -> BoardMeasurement:
    """Open the boards, make changes, and record when each board receives them."""
    routes = _make_routes(port, business)
    opened, process = [Board() for _ in range(boards)], server_process(port)
    async with asyncio.TaskGroup() as group:
        followers = [group.create_task(board.follow(port, business.token)) for board in opened]
        await _all_heard(opened)
        each, last = list[float](), list[float]()
        before = processor_seconds(process)
        for number in range(changes):
            step = "unlock" if number // ROUTES % 2 else "lock"
            path = f"/api/v1/routes/{routes[number % ROUTES]}/{step}"
            began = time.perf_counter()
            await asyncio.to_thread(_ask, port, business, "POST", path, {})
            await _all_heard(opened)
            times = [(board.heard_at - began) * 1000 for board in opened]
            each, last = each + times, [*last, max(times)]
        used = (processor_seconds(process) - before) / changes * 1000
        for follower in followers:
            follower.cancel()
    p99 = statistics.quantiles(each, n=100)[98]
    return BoardMeasurement(boards, name, statistics.median(each), p99, statistics.median(last), max(last), used)


def _make_routes(port: int, business: Business) -> list[int]:
    place = {"name": "North", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
    depot = _ask(port, business, "POST", "/api/v1/depots", place)["depot"]["id"]
    route = {"day": str(DAY), "depot_id": depot}
    return [_ask(port, business, "POST", "/api/v1/routes", route)["route"]["id"] for _ in range(ROUTES)]


async def _all_heard(boards: list[Board]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        for board in boards:
            await board.heard.wait()
            board.heard.clear()


def _ask(port: int, business: Business, method: str, path: str, document: dict[str, Any]) -> Any:
    headers = {"Authorization": f"Bearer {business.token}"}
    return serve.send_request(port, {"method": method, "path": path, "headers": headers, "body": json.dumps(document)})


def missed_targets(results: list[BoardMeasurement]) -> list[str]:
    """Return the rows with a median above `MAX_MS` until all boards received a change."""
    return [
        f"{each.boards} boards, {each.database}: {each.all_p50_ms:.0f} ms until all had heard, wanted {MAX_MS:.0f}"
        for each in results
        if each.all_p50_ms > MAX_MS
    ]


def main() -> int:
    """Measure, print and store results; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.board", description=__doc__)
    parser.add_argument("--databases", default="sqlite,postgres")
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--changes", type=int, default=40)
    given = parser.parse_args()
    results = [
        asyncio.run(measure(port, business, name, given.boards, given.changes))
        for name, business, port in seeded_servers(given.databases.split(","), ORDERS)
    ]
    about = "From before the request that makes a change until open boards have read it. The boards run on the same machine."
    return keep_results("Board", COLUMNS, [each.cells() for each in results], missed_targets(results), about)


if __name__ == "__main__":
    sys.exit(main())
