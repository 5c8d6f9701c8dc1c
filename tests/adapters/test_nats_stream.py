"""Positions and pushes through real NATS servers are stored despite failures."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.adapters.nats_cluster import make_nats_cluster
from tests.contexts.tracking.ingest.requests import (
    ingest_outcomes,
    make_event,
    make_key,
    make_timeline,
    push_document,
    read_timeline,
    status_codes,
)
from tests.support.app import START, App
from tests.support.live import free_port
from tests.support.transport import make_driver

from haulier.adapters import nats_stream
from haulier.adapters.nats_stream import STREAM, NatsStream
from haulier.background import make_stream_writer
from haulier.contexts.driver_app.positions.store import points
from haulier.kernel.background.streams import FactStream, StreamMessage

PUSHES = 90


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A broker on a busy machine is slow, and not away."""
    for limit in ("CONNECT_TIMEOUT_S", "SEND_TIMEOUT_S"):
        monkeypatch.setattr(nats_stream, limit, 60.0)
    monkeypatch.setattr(nats_stream, "STRAIGHT_S", 0.0)
    return monkeypatch


@asynccontextmanager
async def streaming(app: App, addresses: str) -> AsyncIterator[NatsStream]:
    stream = NatsStream(addresses.split(","))
    app.application.adapters = {**app.application.adapters, FactStream: stream}
    try:
        yield stream
    finally:
        await stream.close()


async def push(app: App, number: int) -> Any:
    """One position, in a stretch of time of its own, so that each is kept."""
    at = START - timedelta(seconds=60 * (number + 1))
    return await app.answer("driver", "push_positions", {"points": [{"occurred_at": at, "lat": 43.65, "lng": -79.38}]})


async def written(app: App) -> int:
    async with app.database.read(app.clients["demo"]) as work:
        return await work.value(select(func.count()).select_from(points))


@asynccontextmanager
async def writing(app: App) -> AsyncIterator[None]:
    writer = make_stream_writer(app.application, 1)
    task = asyncio.create_task(writer.run())
    try:
        yield
    finally:
        writer.stop()
        await task


async def until(app: App, count: int) -> None:
    async with asyncio.timeout(60):
        while await written(app) < count:  # noqa: ASYNC110 - another task writes
            await asyncio.sleep(0.05)


async def test_no_acknowledged_message_is_lost_when_a_server_is_killed(
    sqlite_app: App, tmp_path: Path, patient: pytest.MonkeyPatch
) -> None:
    """The leader of three servers is killed; SQLite only, as it is about the broker."""
    app = sqlite_app
    await make_driver(app, user="driver")
    async with make_nats_cluster(tmp_path / "nats", 3) as cluster, streaming(app, cluster.addresses):
        answers = [await push(app, 0)]
        async with writing(app):
            for number in range(1, PUSHES):
                if number == PUSHES // 3:
                    patient.undo()  # from here on a broker is away, which must be noticed soon
                    cluster.kill(await cluster.leader(STREAM))
                answers.append(await push(app, number))
            await until(app, PUSHES)
    queued = sum(answer.queued for answer in answers)
    assert queued >= PUSHES // 3
    assert queued + sum(answer.stored for answer in answers) == PUSHES
    assert await written(app) == PUSHES


@pytest.mark.usefixtures("patient")
async def test_a_message_is_acknowledged_only_after_it_is_written(app: App, tmp_path: Path) -> None:
    await make_driver(app, user="driver")
    async with make_nats_cluster(tmp_path / "nats") as cluster, streaming(app, cluster.addresses) as stream:
        await push(app, 0)
        assert (await push(app, 0)).queued == 1  # a device that sends it again: the broker keeps one
        await push(app, 1)
        assert await written(app) == 0
        deliveries = await stream.fetch(10, 5)
        assert len({delivery.message.id for delivery in deliveries}) == len(deliveries) == 2
        failed = make_stream_writer(app.application, 1)
        failed._write = broken
        await failed.write_deliveries(deliveries)
        assert await written(app) == 0
        await make_stream_writer(app.application, 1).write_deliveries(deliveries)
        await make_stream_writer(app.application, 1).write_deliveries(deliveries)  # brought twice: written once
        assert await written(app) == 2


async def broken(kind: str, client_id: int, messages: list[StreamMessage]) -> None:
    raise ConnectionError("the database is away")


@pytest.mark.usefixtures("patient")
async def test_a_providers_push_waits_at_the_broker_until_written(sqlite_app: App, tmp_path: Path) -> None:
    """On SQLite alone: it is about the broker."""
    app, numbers = sqlite_app, [f"SP-{n}" for n in range(120)]
    key = await make_key(app)
    document = {"timelines": [make_timeline(make_event(), number=number) for number in numbers]}
    async with make_nats_cluster(tmp_path / "nats") as cluster, streaming(app, cluster.addresses) as stream:
        for _ in range(2):
            response = await push_document(app, key, document, Prefer="respond-async")
            assert set(ingest_outcomes(response)) == {"queued"}
        deliveries = await stream.fetch(10, 5)
        assert len(deliveries) == 6
        assert await read_timeline(app, numbers[0]) == {}
        await make_stream_writer(app.application, 1).write_deliveries(deliveries)
        assert await stream.fetch(10, 0.5) == ()
    for number in (numbers[0], numbers[-1]):
        assert status_codes(await read_timeline(app, number)) == ["in_transit"]


async def test_without_a_broker_positions_are_written_directly(sqlite_app: App) -> None:
    """On SQLite alone: it is about the broker."""
    await make_driver(sqlite_app, user="driver")
    port = free_port()
    async with streaming(sqlite_app, f"nats://127.0.0.1:{port}"):
        answer = await push(sqlite_app, 0)
        assert (answer.stored, answer.queued) == (1, 0)
        assert await written(sqlite_app) == 1


async def test_a_dry_run_publishes_nothing_to_the_stream(sqlite_app: App) -> None:
    """On SQLite alone: nothing is stored."""
    await make_driver(sqlite_app, user="driver")
    sent = list[StreamMessage]()

    class Kept:
        keeps = True

        async def send(self, message: StreamMessage) -> bool:
            sent.append(message)
            return True

    sqlite_app.application.adapters = {**sqlite_app.application.adapters, FactStream: Kept()}
    point = {"occurred_at": START, "lat": 43.65, "lng": -79.38}
    assert (await sqlite_app.answer("driver", "push_positions", {"points": [point]}, dry_run=True)).stored == 1
    assert sent == []
    assert (await sqlite_app.answer("driver", "push_positions", {"points": [point]})).queued == 1
    assert [(message.kind, message.client_id) for message in sent] == [("driver.positions", sqlite_app.clients["demo"])]
