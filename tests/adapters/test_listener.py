"""Notifications on PostgreSQL after their connection is lost."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.support.databases import cluster

from haulier.adapters import postgres_pool
from haulier.adapters.postgres import Postgres

PATIENCE_S = 60
OTHERS = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@pytest.fixture
async def nodes(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Postgres, Postgres]]:
    """Two openings of one database, as two machines have."""
    monkeypatch.setattr(postgres_pool, "RECONNECT_INTERVAL_S", 0.01)
    one, other = Postgres(cluster().url()), Postgres(cluster().url())
    for database in (one, other):
        await database.open()
    yield one, other
    for database in (one, other):
        await database.close()
    cluster().sweep()


async def listen(database: Postgres, subject: str | None = None) -> asyncio.Queue[str]:
    heard: asyncio.Queue[str] = asyncio.Queue()
    await database.listen("board", heard.put_nowait, subject)
    return heard


async def next_of(heard: asyncio.Queue[str]) -> str:
    return await asyncio.wait_for(heard.get(), PATIENCE_S)


async def test_another_node_is_notified_and_simultaneous_changes_are_bundled(nodes: tuple[Postgres, Postgres]) -> None:
    one, other = nodes
    heard = await listen(other)
    for subject in ("7:a", "7:b", "7:a"):
        await one.notify("board", subject)
    assert await next_of(heard) == "7:a 7:b"


async def test_after_a_lost_connection_every_subscriber_invalidates_everything(
    nodes: tuple[Postgres, Postgres],
) -> None:
    one, _ = nodes
    all_of_it, of_subject = await listen(one), await listen(one, "7:a")
    cluster().read(f"SELECT pg_terminate_backend(pid) {OTHERS}")
    assert await next_of(all_of_it) == "*"
    assert await next_of(of_subject) == "*"


async def test_an_unsent_notification_is_sent_when_the_server_returns(
    nodes: tuple[Postgres, Postgres], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = nodes
    heard = await listen(other)
    real, refused = one._listener._connected, asyncio.Event()

    async def away() -> postgres_pool.Connection:
        refused.set()
        raise ConnectionRefusedError

    monkeypatch.setattr(one._listener, "_connected", away)
    await one.notify("board", "7:a")
    await asyncio.wait_for(refused.wait(), PATIENCE_S)
    monkeypatch.setattr(one._listener, "_connected", real)
    assert await next_of(heard) == "7:a"
