"""Rate limits shared by several nodes."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.databases import cluster

from haulier.adapters.database import database_for
from haulier.adapters.postgres import Postgres
from haulier.kernel.data.unit_of_work import Database
from haulier.kernel.http import rate_limits
from haulier.kernel.http.rate_limits import RateLimiter, delete_past_counts
from haulier.kernel.http.rate_windows import Window, admit, rate_logs, rate_windows
from haulier.kernel.operations.declaration import RateLimit
from haulier.kernel.operations.errors import OperationError

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
LIMIT = RateLimit(600, 60)
FEW = RateLimit(5, 60)


async def admitted(limiter: RateLimiter, limit: RateLimit, now: datetime = NOON, *, exact: bool = False) -> bool:
    try:
        await limiter.consume("ask", (limit,), lambda _: "::1", now, exact=exact)
    except OperationError as refused:
        return int((refused.headers or {})["Retry-After"]) == 0
    return True


@pytest.fixture
async def nodes() -> AsyncIterator[list[Database]]:
    """Yield three connections to one PostgreSQL, like three machines."""
    opened: list[Database] = [Postgres(cluster().url()) for _ in range(3)]
    for database in opened:
        await database.open()
    yield opened
    for database in opened:
        await database.close()
    cluster().sweep()


@pytest.mark.parametrize("tell_every_s", [0.001, 60.0], ids=["often", "only when it must"])
async def test_three_nodes_together_allow_the_limit_within_five_per_cent(
    nodes: list[Database], monkeypatch: pytest.MonkeyPatch, tell_every_s: float
) -> None:
    monkeypatch.setattr(rate_limits, "TELL_EVERY_S", tell_every_s)
    limiters = [RateLimiter(database) for database in nodes]

    async def ask(limiter: RateLimiter, calls: int) -> int:
        count = 0
        for call in range(calls):
            count += await admitted(limiter, LIMIT, NOON + timedelta(milliseconds=call))
            await asyncio.sleep(0)
        return count

    let_in = await asyncio.gather(
        *(ask(limiter, calls) for limiter, calls in zip(limiters, (700, 500, 300), strict=True))
    )
    assert sum(let_in) == pytest.approx(LIMIT.times, rel=0.05)
    for limiter in limiters:
        for waiting in limiter._tasks:
            waiting.cancel()


async def test_exact_limits_are_exact_across_connections(database: Database, database_url: str) -> None:
    other = database_for(database_url)
    await other.open()
    limiters = [RateLimiter(database), RateLimiter(other)]
    calls = [admitted(limiters[number % 2], FEW, exact=True) for number in range(12)]
    assert sum(await asyncio.gather(*calls)) == FEW.times
    assert not await admitted(limiters[1], FEW, NOON + timedelta(seconds=59), exact=True)
    assert await admitted(limiters[1], FEW, NOON + timedelta(seconds=61), exact=True)
    await other.close()


async def test_one_refused_limit_leaves_the_others_uncounted(database: Database) -> None:
    limiter = RateLimiter(database)
    both = (RateLimit(3, 60), RateLimit(1, 60, ("user",)))
    outcomes = []
    for user in ("a", "a", "a", "b", "c", "d"):
        try:
            await limiter.consume(
                "ask", both, lambda name, user=user: user if name == "user" else "::1", NOON, exact=True
            )
            outcomes.append(user)
        except OperationError:
            pass
    assert outcomes == ["a", "b", "c"]


async def test_an_unavailable_database_fails_no_call_and_is_updated_when_it_returns(
    nodes: list[Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "TELL_EVERY_S", 60.0)
    limiter, other = RateLimiter(nodes[0]), RateLimiter(nodes[1])
    real = rate_limits._store_windows

    async def away(*_: object) -> list[object]:
        raise ConnectionRefusedError

    monkeypatch.setattr(rate_limits, "_store_windows", away)
    assert [await admitted(limiter, FEW) for _ in range(6)] == [True] * 5 + [False]
    monkeypatch.setattr(rate_limits, "_store_windows", real)
    await limiter._notify_others(NOON)
    await admitted(other, FEW)
    assert not await admitted(other, FEW)


async def test_expired_counts_are_deleted(nodes: list[Database]) -> None:
    limiter = RateLimiter(nodes[0])
    await admitted(limiter, FEW)
    await admitted(limiter, FEW, exact=True)
    for hours, left in ((0, 1), (1, 0)):
        async with nodes[0].write(None) as work:
            await delete_past_counts(work, NOON + timedelta(hours=hours))
            for table in (rate_windows, rate_logs):
                assert len(await work.all(table.select())) == left


@given(moments=st.lists(st.integers(0, 20_000), max_size=60))
def test_a_log_never_allows_more_than_the_limit_in_any_interval(moments: list[int]) -> None:
    limit, hits, let_in = RateLimit(3, 5), list[int](), list[int]()
    for now_ms in sorted(moments):
        hits, wait_s = admit(hits, limit, now_ms)
        if not wait_s:
            let_in.append(now_ms)
        else:
            assert admit(hits, limit, now_ms + wait_s * 1000)[1] == 0
    for first in let_in:
        assert sum(first <= moment < first + 5000 for moment in let_in) <= limit.times


@given(calls=st.lists(st.floats(0, 300), max_size=300))
def test_a_window_reports_when_it_has_capacity_and_then_has(calls: list[float]) -> None:
    window = Window(10, 60)
    for now_s in sorted(calls):
        if window.left(now_s) >= 1:
            window.unsent += 1
        else:
            later = Window(10, 60, window.slot, window.current, window.previous, window.unsent)
            later.current, later.unsent = later.current + later.unsent, 0
            assert later.left(now_s + window.wait_s(now_s)) > 1 - 1e-6
        window.current, window.unsent = window.current + window.unsent, 0
