"""2,000 simulated locker banks on each transport: `python -m bench.locker_wires`.

Measured are heartbeats, command latency and recovery after a kill. Locker banks, server, database and broker share the
machine. The kill ends the MQTT broker; on the other transports, which have none, it ends the server. The process is
restarted after three seconds.
"""

import argparse
import asyncio
import os
import platform
import random
import resource
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncGenerator, Coroutine, Generator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import httpx
from rich.console import Console
from tests.adapters.nats_cluster import nats_server
from tests.support.live import free_port

from bench.databases import bench_database, private_cluster
from bench.lockers import BOXES, CABINETS, PAGE, credential_of, seed_lockers
from bench.seed import Business
from bench.serve import HOST
from haulier.adapters.database import database_for
from haulier.adapters.nats_channel import NatsAccountKey, make_account_seed, server_config
from haulier.contexts.lockers.devices.store.devices import devices
from haulier.simulation.lockers.cabinet import SimulatedCabinet
from haulier.simulation.lockers.faults import CabinetFaults
from haulier.simulation.lockers.town import wire_for

T = TypeVar("T")
SECTION = "# Transports"
BEAT_S, AT_ONCE, COMMANDS, DOWN_S, PATIENCE_S = 30.0, 64, 300, 3.0, 600.0
PASSWORD = "between-us"
COLUMNS = (
    "s until all are connected",
    "heartbeats a second",
    "command p50 ms",
    "p99 ms",
    "frames said again until then",
    "s until all are back",
    "s until all commands ended",
)
HEAD = [" | ".join(["| database | wire", *COLUMNS]) + " |", "|---" * (len(COLUMNS) + 2) + "|"]
console = Console(width=240)


class Killable:
    """A process that can be killed and restarted."""

    def __init__(self, command: Sequence[str], url: str, **environment: str) -> None:
        self._command, self._url, self._environment = list(command), url, {**os.environ, **environment}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it responds."""
        self._process = subprocess.Popen(
            self._command, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(self._url, timeout=5):
                    return
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End it, with SIGKILL by default."""
        if self._process:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None


@contextmanager
def make_broker(folder: Path) -> Generator[tuple[Killable, dict[str, str]]]:
    """Yield a NATS server, and the settings for a Haulier server that uses it."""
    port, mqtt, monitor = free_port(), free_port(), free_port()
    key = make_account_seed()
    text = server_config(NatsAccountKey(key), PASSWORD, host=HOST, websocket=False)
    text = text.replace("127.0.0.1:4222", f"{HOST}:{port}").replace(f"{HOST}:1883", f"{HOST}:{mqtt}")
    text = text.replace('"haulier-channel" }', f'"{folder / "store"}" }}')
    (folder / "broker.conf").write_text(f'{text}\nhttp: "{HOST}:{monitor}"\n')
    broker = Killable([nats_server(), "--config", str(folder / "broker.conf")], f"http://{HOST}:{monitor}/healthz")
    broker.start()
    try:
        yield (
            broker,
            {
                "HAULIER_CHANNEL": f"nats://haulier:{PASSWORD}@{HOST}:{port}",
                "HAULIER_CHANNEL_KEY": key,
                "HAULIER_CHANNEL_ADDRESS": f"mqtt://{HOST}:{mqtt}",
            },
        )
    finally:
        broker.end()


@contextmanager
def make_server(database: str, **environment: str) -> Generator[tuple[Killable, int]]:
    """Yield the service with its background work, and its port."""
    port = free_port()
    command = [sys.executable, "-m", "haulier", "serve", "--port", str(port), "--database", database]
    quiet = {"HAULIER_RATE_LIMITS": "false", "HAULIER_LOG_LEVEL": "error", "HAULIER_LOG_FORMAT": "json"}
    server = Killable(command, f"http://{HOST}:{port}/healthz", **quiet, **environment)
    server.start()
    try:
        yield server, port
    finally:
        server.end(signal.SIGTERM)


class WatchedCabinet(SimulatedCabinet):
    """A locker bank that records ended commands and its last heartbeat."""

    def __init__(self, seed: int) -> None:
        super().__init__(CabinetFaults(), seed, wait_s=BEAT_S)
        self.ended: dict[int, float] = {}
        self.heard_at = 0.0
        self.changed = asyncio.Event()

    async def beat(self) -> dict[str, Any]:
        """Send a heartbeat; see `SimulatedCabinet`."""
        said = await super().beat()
        self.heard_at = time.monotonic()
        self.changed.set()
        return said

    async def live_after(self, seconds: float) -> None:
        """Start after a delay, so that locker banks do not send heartbeats all at once."""
        await asyncio.sleep(seconds)
        await self.live()

    async def _report_outcome(self, id: int) -> None:
        await super()._report_outcome(id)
        self.ended[id] = time.monotonic()
        self.changed.set()


class Run:
    """All locker banks on one transport."""

    def __init__(self, http: httpx.AsyncClient, business: Business, ids: Sequence[int]) -> None:
        self.http, self.ids, self.at_broker = http, list(ids), False
        self._office = {"Authorization": f"Bearer {business.token}"}
        self.cabinets = [WatchedCabinet(number) for number in range(len(ids))]

    async def all_beat(self) -> float:
        """Return the seconds until all are connected and have sent a heartbeat.

        At most 64 connect at a time.
        """
        began, some = time.monotonic(), asyncio.Semaphore(AT_ONCE)

        async def one(cabinet: WatchedCabinet) -> None:
            async with some:
                while not cabinet.heard_at:
                    with suppress(OSError):
                        await cabinet.beat()

        await asyncio.gather(*map(one, self.cabinets))
        return time.monotonic() - began

    async def heartbeats(self, seconds: float) -> float:
        """Return heartbeats per second with 64 in parallel, at most one per locker bank."""
        until, count, turn = time.monotonic() + seconds, 0, iter(range(10**9))

        async def some() -> None:
            nonlocal count
            while time.monotonic() < until:
                await self.cabinets[next(turn) % len(self.cabinets)].beat()
                count += 1

        began = time.monotonic()
        await asyncio.gather(*(some() for _ in range(min(AT_ONCE, len(self.cabinets)))))
        return count / (time.monotonic() - began)

    async def all_live(self) -> None:
        """Wait until every locker bank has sent a heartbeat and waits for commands."""
        since = {cabinet: cabinet.heartbeats for cabinet in self.cabinets}
        async with asyncio.timeout(PATIENCE_S):
            for cabinet, beats in since.items():
                while cabinet.heartbeats == beats:
                    cabinet.changed.clear()
                    await cabinet.changed.wait()

    async def ask(self, number: int) -> int:
        """Send a device the `ring` command as staff; return the id of the command."""
        path = f"/v1/devices/{self.ids[number]}/commands"
        answer = await self.http.post(path, json={"command": "ring"}, headers=self._office)
        return answer.raise_for_status().json()["command"]["id"]

    async def done_at(self, number: int, command: int) -> float:
        """Return the time at which a locker bank learned that its command is done."""
        cabinet = self.cabinets[number]
        async with asyncio.timeout(PATIENCE_S):
            while command not in cabinet.ended:
                cabinet.changed.clear()
                await cabinet.changed.wait()
        return cabinet.ended[command]

    async def round_trips(self) -> list[float]:
        """Return milliseconds from command to completion, 16 commands at a time."""
        some, took = asyncio.Semaphore(16), list[float]()

        async def one(number: int) -> None:
            async with some:
                began = time.monotonic()
                took.append(1000 * (await self.done_at(number, await self.ask(number)) - began))

        numbers = random.Random(1).sample(range(len(self.cabinets)), min(COMMANDS, len(self.cabinets)))
        await asyncio.gather(*map(one, numbers))
        return sorted(took)

    async def recovery(self, victim: Killable) -> tuple[float, float]:
        """Kill, wait and restart the process.

        Returns the seconds from the restart until all locker banks have sent a heartbeat, and until all commands ended.
        """
        numbers = random.Random(2).sample(range(len(self.cabinets)), min(COMMANDS, len(self.cabinets)))
        asked = [(number, await self.ask(number)) for number in numbers[: len(numbers) // 2]]
        victim.end()
        if self.at_broker:
            asked += [(number, await self.ask(number)) for number in numbers[len(numbers) // 2 :]]
        await asyncio.sleep(DOWN_S)
        began = time.monotonic()
        await asyncio.to_thread(victim.start)
        ended = [await self.done_at(number, command) for number, command in asked]
        for cabinet in self.cabinets:
            async with asyncio.timeout(PATIENCE_S):
                while cabinet.heard_at < began:
                    cabinet.changed.clear()
                    await cabinet.changed.wait()
        twice = [id for cabinet in self.cabinets for id, times in cabinet.openings.items() if times > 1]
        if twice:
            raise RuntimeError(f"done twice: {twice}")
        return max(each.heard_at for each in self.cabinets) - began, max(0.0, max(ended) - began)


class Line:
    """HTTP connection of one locker bank, without TLS.

    One each, because an httpx pool scans all connections on each request.
    """

    def __init__(self, base: str) -> None:
        limits = httpx.Limits(keepalive_expiry=4)
        self._http = httpx.AsyncClient(base_url=base, verify=False, limits=limits, timeout=60)

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a frame over HTTP."""
        try:
            answer = await self._http.post(path, json=body)
        except httpx.TransportError as error:
            raise OSError(str(error)) from error
        if answer.status_code >= 500:
            raise OSError(answer.text)
        return answer.raise_for_status().json()

    async def close(self) -> None:
        """Close its connections."""
        await self._http.aclose()


@asynccontextmanager
async def make_run(wire: str, port: int, business: Business, ids: Sequence[int]) -> AsyncGenerator[Run]:
    """Yield all locker banks, connected."""
    base = f"http://{HOST}:{port}/api"
    limits = httpx.Limits(
        max_keepalive_connections=0
    )  # the server may close a kept one just when the next request starts
    async with httpx.AsyncClient(base_url=base, limits=limits, timeout=60) as http, AsyncExitStack() as lines:
        run = Run(http, business, ids)
        run.at_broker = wire == "mqtt"
        for number, cabinet in enumerate(run.cabinets):
            line = Line(base)
            lines.push_async_callback(line.close)
            cabinet.plug_in(wire_for(wire, base, line.post, credential_of(number), cabinet))
        yield run


async def measure_wire(
    wire: str, port: int, business: Business, ids: Sequence[int], victim: Killable, seconds: float, limit_s: float
) -> str:
    """Return one row of the table; results not reached within the limit are marked."""
    cells: list[str] = []
    with suppress(TimeoutError):
        async with make_run(wire, port, business, ids) as run, asyncio.timeout(limit_s):
            await _measure(run, victim, seconds, cells)
    missing = [f"not within {limit_s:g} s"] * (len(COLUMNS) - len(cells))
    return " | ".join(["", wire, *cells, *missing, ""]).strip()


async def _measure(run: Run, victim: Killable, seconds: float, cells: list[str]) -> None:
    cells.append(f"{await run.all_beat():.0f}")
    cells.append(f"{await run.heartbeats(seconds):,.0f}")
    spread = random.Random(3)
    living = [asyncio.create_task(cabinet.live_after(spread.uniform(0, BEAT_S))) for cabinet in run.cabinets]
    try:
        await _run_while_live(living, run.all_live())
        took = await _run_while_live(living, run.round_trips())
        cells += [f"{took[len(took) // 2]:.0f}", f"{took[int(len(took) * 0.99)]:.0f}"]
        cells.append(f"{sum(cabinet.unanswered for cabinet in run.cabinets):,}")
        back, over = await _run_while_live(living, run.recovery(victim))
        cells += [f"{back:.1f}", f"{over:.1f}"]
    finally:
        for task in living:
            task.cancel()
        await asyncio.gather(*living, return_exceptions=True)


async def _run_while_live(living: Sequence[asyncio.Task[None]], work: Coroutine[Any, Any, T]) -> T:
    """Return the result of some work.

    Raises the error of a locker bank, whose response the work might otherwise wait for forever.
    """
    task = asyncio.ensure_future(work)
    try:
        ended, _ = await asyncio.wait({task, *living}, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        task.cancel()  # timeout
        raise
    for each in ended - {task}:
        task.cancel()
        each.result()
    return await task


async def ids_of(url: str, business: Business) -> list[int]:
    """Return the seeded devices, ordered by number."""
    database = database_for(url)
    await database.open()
    try:
        async with database.read(business.client_id) as work:
            rows = await work.all(devices.select())
    finally:
        await database.close()
    numbered = {int(row.serial.removeprefix("BENCH-")): row.id for row in rows}
    return [numbered[number] for number in range(len(numbered))]


def measure_on(name: str, wires: Sequence[str], cabinets: int, seconds: float, limit_s: float) -> list[str]:
    """Return the rows of a database."""
    rows: list[str] = []
    for wire in wires:
        with ExitStack() as stack:
            database = stack.enter_context(bench_database(name))
            folder = Path(stack.enter_context(TemporaryDirectory()))
            business = asyncio.run(seed_lockers(database.url))
            ids = asyncio.run(ids_of(database.url, business))[:cabinets]
            broker, settings = stack.enter_context(make_broker(folder)) if wire == "mqtt" else (None, {})
            server, port = stack.enter_context(make_server(database.url, **settings))
            row = asyncio.run(measure_wire(wire, port, business, ids, broker or server, seconds, limit_s))
        rows.append(f"| {name} {row}")
        console.print(rows[-1], markup=False, highlight=False, soft_wrap=True)
    return rows


def main(asked: Sequence[str] | None = None) -> None:
    """Measure and write the section of the results page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--wires", nargs="+", default=["http", "websocket", "mqtt", "mqtt5"])
    parser.add_argument("--cabinets", type=int, default=CABINETS)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--limit", type=float, default=240, help="seconds for a wire on a database")
    parser.add_argument("--look", action="store_true", help="write no page")
    options = parser.parse_args(asked)
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    how = (options.wires, options.cabinets, options.seconds, options.limit)
    for line in HEAD:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    with private_cluster(options.databases):
        rows = [row for name in options.databases for row in measure_on(name, *how)]
    if options.look:
        return
    before = PAGE.read_text().partition(SECTION)[0].rstrip()
    machine = f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores"
    head = (
        f"`python -m bench.locker_wires --seconds {options.seconds:g}`, {datetime.now(UTC):%Y-%m-%d}, {machine}, load average"
        f" {os.getloadavg()[0]:.0f}.\n\n{options.cabinets:,} locker banks with {options.cabinets * BOXES:,} compartments"
        " are connected at once, each sending a heartbeat every half minute, not all at the same moment. Server with background"
        " work, database, broker and all locker banks share the machine with other programs. A command is measured from the"
        " staff's call until the server has the device's confirmation. The kill ends the broker on MQTT and the server"
        f" elsewhere; the process is restarted after {DOWN_S:g} s, and the seconds count from then, including its start.\n"
    )
    PAGE.write_text(f"{before}\n\n{SECTION}\n\n{head}\n" + "\n".join([*HEAD, *rows]) + "\n")


if __name__ == "__main__":
    main()
