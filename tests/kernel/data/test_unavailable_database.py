"""A database that is away, full or held by somebody else: callers are told to come back, and in time."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import apsw
import asyncpg
import pytest
from tests.support.app import App

from haulier.adapters import postgres, sqlite
from haulier.kernel.data.unit_of_work import TransactionRetry, UnitOfWork
from haulier.kernel.pipeline import run

NOTE = {"name": "Ada"}


def failing(app: App, error: Exception, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every transaction fails with an error from now on; the list grows with each try."""
    tries: list[int] = []

    @asynccontextmanager
    async def broken(client_id: int | None) -> AsyncGenerator[UnitOfWork]:
        tries.append(1)
        raise error
        yield  # pragma: no cover

    monkeypatch.setattr(app.database, "write", broken)
    return tries


async def test_a_disk_that_is_full_is_a_matter_of_later(sqlite_app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(sqlite_app, apsw.FullError("database or disk is full"), monkeypatch)
    answer = await sqlite_app.rest("admin", "PATCH", "/v1/user/me", NOTE)
    assert (answer.status_code, answer.json()["code"]) == (503, "BUSY_TRY_AGAIN")
    assert answer.headers["Retry-After"] == "1"


def test_what_says_that_postgresql_is_away_is_told_from_our_mistakes() -> None:
    database = postgres.Postgres.__new__(postgres.Postgres)
    away = [
        ConnectionRefusedError(),
        FileNotFoundError(),
        asyncpg.CannotConnectNowError(),
        asyncpg.ConnectionDoesNotExistError(),
        asyncpg.AdminShutdownError(),
        asyncpg.TooManyConnectionsError(),
        asyncpg.DiskFullError(),
        asyncpg.InternalClientError(),
    ]
    assert [error for error in away if not database.is_unavailable(error)] == []
    ours: list[Exception] = [asyncpg.UndefinedTableError(), asyncpg.NotNullViolationError(), ValueError(), KeyError()]
    assert [error for error in ours if database.is_unavailable(error)] == []


async def test_a_write_that_waited_long_is_not_tried_again(sqlite_app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = failing(sqlite_app, TransactionRetry(), monkeypatch)
    monkeypatch.setattr(run, "MAX_TRYING_S", 0)
    outcome = await sqlite_app.call("admin", "update_me", NOTE)
    assert (outcome.status, len(tries)) == (503, 1)


async def test_whoever_stands_in_line_waits_no_longer_than_the_first(
    sqlite_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: Any = apsw.Connection(sqlite_app.database_url.removeprefix("sqlite:///"))
    held.execute("BEGIN IMMEDIATE")
    began: list[float | None] = []
    retry_when_busy = sqlite.retry_when_busy

    async def noted(step: Any, deadline: float | None = None) -> Any:
        began.append(deadline)
        return await retry_when_busy(step, deadline)

    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_S", 0.05)
    monkeypatch.setattr(sqlite, "retry_when_busy", noted)
    monkeypatch.setattr(run, "MAX_TRYING_S", 0)
    outcomes = await asyncio.gather(*(sqlite_app.call("admin", "update_me", NOTE) for _ in range(5)))
    held.execute("ROLLBACK")
    assert {outcome.status for outcome in outcomes} == {503}
    assert len(began) < len(outcomes), "those in line gave up there, and did not begin to wait anew"
    assert (await sqlite_app.call("admin", "update_me", NOTE)).status == 200
