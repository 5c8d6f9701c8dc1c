"""`python -m bench.board`: how soon a change reaches every open board of a day.

A server in a process of its own, a hundred connections to the stream of one day's board, and one change after the other by
REST. A change's time runs from before the request that makes it until a connection has read its message; told are the median
and the worst hundredth of all messages, and of the changes the time until the last board had heard.
"""

import argparse
import asyncio
import json
import shlex
import statistics
import sys
import time
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct
from rich.console import Console
from rich.table import Table

from bench import serve
from bench.__main__ import database_address
from bench.doors import processor_seconds, server_process
from bench.seed import Business, seed_orders

RESULTS = Path(__file__).parent / "BOARD.md"
DAY = date(2099, 6, 10)
ROUTES = 20
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
        """As text, in the order of `COLUMNS`."""
        times = (self.heard_p50_ms, self.heard_p99_ms, self.all_p50_ms, self.worst_ms, self.processor_ms)
        return (str(self.boards), self.database, *(f"{each:.0f}" for each in times))


class Board:
    """One open board: when it read a message last."""

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
    """Open the boards, make the changes, and see when each board hears of them."""
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
    """The rows in which half of the changes took longer than `MAX_MS` to reach every board."""
    return [
        f"{each.boards} boards, {each.database}: {each.all_p50_ms:.0f} ms until all had heard, wanted {MAX_MS:.0f}"
        for each in results
        if each.all_p50_ms > MAX_MS
    ]


def results_page(results: list[BoardMeasurement], command: str) -> str:
    """What is kept."""
    lines = ["# The board", "", f"- date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC", f"- command: `{command}`"]
    lines += ["- the machine: two cores, which others used at the same time; the listening runs on it, too", ""]
    lines += [f"| {' | '.join(COLUMNS)} |", "| ---: | --- |" + " ---: |" * (len(COLUMNS) - 2)]
    lines += [f"| {' | '.join(each.cells())} |" for each in results]
    lines += ["", "## Targets missed", "", *([f"- {each}" for each in missed_targets(results)] or ["none"])]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, print, keep; 1 when a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.board", description=__doc__)
    parser.add_argument("--databases", default="sqlite,postgres")
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--changes", type=int, default=40)
    given = parser.parse_args()
    results: list[BoardMeasurement] = []
    for name in given.databases.split(","):
        with database_address(name) as url:
            business = Business()
            seed_orders(url, business, 10, lambda _: None)
            with serve.serve_haulier(url) as port:
                results.append(asyncio.run(measure(port, business, name, given.boards, given.changes)))
    RESULTS.write_text(results_page(results, shlex.join(["python", "-m", "bench.board", *sys.argv[1:]])))
    if "postgres" in given.databases:
        from tests.support.databases import leave

        leave()
    shown = Table(*COLUMNS)
    for each in results:
        shown.add_row(*each.cells())
    Console().print(shown)
    for line in missed_targets(results):
        Console().print(f"[red]missed[/]: {line}")
    return int(bool(missed_targets(results)))


if __name__ == "__main__":
    sys.exit(main())
