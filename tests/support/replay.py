"""Replay of the statements of SQLite tests on PostgreSQL.

The first calls of each distinct statement are recorded with the rows of its tables. After the test they run on this
worker's replay database with the same rows and parameters, and must give the same results and rows. A statement that is
wrong on PostgreSQL therefore fails the test that used it, without running the whole test there.
"""

import asyncio
import functools
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Any

import asyncpg
import pytest
from sqlalchemy import Table, select
from tests.support import databases
from tests.support.both_databases import runs_on_both

from haulier.adapters.database import database_for
from haulier.kernel.data.aggregates import DELIMITER
from haulier.kernel.data.statements import PreparedStatement
from haulier.kernel.data.tables import metadata
from haulier.kernel.data.unit_of_work import ALL_TENANTS, Database, UnitOfWork

MAX_ROWS = 300
"""Statements on tables with more rows are recorded by another test, with fewer."""
REPLAY_TIMEOUT_S = 300
MAX_CALLS = 2
"""Recorded calls of one statement: the first, and the first whose result is not empty."""
SQLITE_ONLY = re.compile(r"INSERT INTO \w+_words |(UPDATE|DELETE FROM) audit_(entry|subject) ")
"""Statements that only SQLite needs: those that fill its full-text tables, and erasures in the audit trail, which are
functions on PostgreSQL."""
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:\d\d)?)?")
"""Moments within texts that a statement builds, which the databases write in different ways."""
READS = ("all", "first", "value")
Rows = dict[str, list[Any]]


@dataclass
class RecordedCall:
    """A recorded call of a `UnitOfWork` method, with its result and rows around it."""

    method: str
    args: tuple[Any, ...]
    params: Mapping[str, Any]
    client_id: int | None
    filtered: bool
    sql: str
    before: Rows
    result: Any
    after: Rows | None


@dataclass
class Recorder:
    """Recorder of a worker; `pending` are the calls of the running test."""

    seen: Counter[tuple[str, str]] = field(default_factory=Counter)
    pending: list[RecordedCall] = field(default_factory=list)
    recording: bool = False

    def wants(self, method: str, sql: str) -> bool:
        """Return True if another call of this statement should be recorded."""
        return self.recording and self.seen[method, sql] < MAX_CALLS

    def add(self, call: RecordedCall) -> None:
        """Record a call. An empty result leaves room for one that is not."""
        first = not self.seen[call.method, call.sql]
        if first or call.result or call.after != call.before:
            self.seen[call.method, call.sql] += 1 if not call.result and first else MAX_CALLS
            self.pending.append(call)


RECORDER = Recorder()


def watch_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Record the calls of every unit of work on SQLite from now on."""
    for name in (*READS, "run", "run_many"):
        _watch(monkeypatch, name, _prepared_statement)
    for name, find in INSERTS.items():
        _watch(monkeypatch, name, find)


def _prepared_statement(work: UnitOfWork, args: Sequence[Any]) -> PreparedStatement:
    return work._statements.prepare(args[0])[0]


def _names(args: Sequence[Any]) -> tuple[str, ...]:
    return tuple(args[-1][0])


INSERTS: dict[str, Callable[[UnitOfWork, Sequence[Any]], PreparedStatement]] = {
    "insert_many": lambda work, args: work._statements.prepare_insert(
        args[0], _names(args), returning="id" in args[0].c
    ),
    "insert_later": lambda work, args: work._statements.prepare_insert(args[0], _names(args), returning=False),
    "upsert_many": lambda work, args: work._statements.prepare_upsert(args[0], tuple(args[1]), _names(args)),
}
"""The prepared statement of each method that writes rows, from its arguments. Rows are the last argument."""


def _watch(
    monkeypatch: pytest.MonkeyPatch, name: str, find: Callable[[UnitOfWork, Sequence[Any]], PreparedStatement]
) -> None:
    original = getattr(UnitOfWork, name)

    @functools.wraps(original)
    async def watched(self: UnitOfWork, *args: Any, **params: Any) -> Any:
        has_rows = name not in INSERTS or bool(args[-1])
        prepared = find(self, args) if self.on_sqlite and has_rows else None
        if (
            prepared is None
            or not RECORDER.wants(name, prepared.sql)
            or not prepared.tables <= metadata.tables.keys()
            or SQLITE_ONLY.search(prepared.sql)
        ):
            return await original(self, *args, **params)
        args = tuple([dict(row) for row in each] if name in INSERTS and each is args[-1] else each for each in args)
        before = await _rows(self, prepared.tables)
        result = await original(self, *args, **params)
        after = await _rows(self, prepared.tables) if prepared.writes else None
        if before is not None and (after is not None or not prepared.writes):
            filtered = self._rls_tenant != ALL_TENANTS
            RECORDER.add(
                RecordedCall(name, args, dict(params), self.client_id, filtered, prepared.sql, before, result, after)
            )
        return result

    monkeypatch.setattr(UnitOfWork, name, watched)


async def _rows(work: UnitOfWork, tables: frozenset[str]) -> Rows | None:
    """Return every row of some tables, or None where there are too many."""
    session, found = work._session, dict[str, list[Any]]()
    for name in sorted(tables):
        prepared, literals = session.without_tenant_filter.prepare(_all_of(metadata.tables[name]))
        values = prepared.bind(literals)
        rows = prepared.rows(await session.fetch(prepared, values, ALL_TENANTS if prepared.tenant else None))
        if len(rows) > MAX_ROWS:
            return None
        found[name] = rows
    return found


@cache
def _all_of(table: Table) -> Any:
    return select(table).limit(MAX_ROWS + 1)


class ReplayDatabase:
    """The PostgreSQL database of a worker, with the rows of the last replayed call."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        cluster, self._name = databases.cluster(), f"replay_{databases.WORKER or 'alone'}"
        cluster._admin(f"CREATE DATABASE {self._name} TEMPLATE blank OWNER {databases.OWNER}")
        self._database: Database = database_for(cluster.url(self._name), pool_size=1)
        self._wait(self._database.open())
        self._owner: Any = self._wait(asyncpg.connect(cluster.url(self._name, "postgres")))
        self._wait(self._owner.execute("SET session_replication_role = replica"))
        self._filled: set[str] = set()

    def _wait(self, work: Coroutine[Any, Any, Any], timeout_s: float = databases.PATIENCE_S) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout_s)

    def replay(self, calls: Sequence[RecordedCall]) -> list[str]:
        """Return a description of each call that behaves differently here."""
        return self._wait(self._replay(calls), REPLAY_TIMEOUT_S)

    async def _replay(self, calls: Sequence[RecordedCall]) -> list[str]:
        return [f"{call.method}: {call.sql}\n  {fault}" for call in calls if (fault := await self._fault(call))]

    async def _fault(self, call: RecordedCall) -> str | None:
        try:
            await self._fill(call)
            async with self._database.write(call.client_id) as work:
                work.mark_for_rollback()
                caller = work if call.filtered else work.without_tenant_filter("a recorded call had none")
                result = await getattr(caller, call.method)(*call.args, **call.params)
                if (fault := difference(call.result, result)) is not None:
                    return f"result: {fault}"
                if call.after is not None:
                    after = await _rows(work, frozenset(call.after))
                    return next(
                        (
                            f"{name}: {fault}"
                            for name, rows in call.after.items()
                            if (fault := difference(rows, (after or {})[name])) is not None
                        ),
                        None,
                    )
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return None

    async def _fill(self, call: RecordedCall) -> None:
        async with self._database.read(None) as work:
            statements = work._session.without_tenant_filter
        async with self._owner.transaction():
            for name in self._filled:
                await self._owner.execute(f'DELETE FROM "{name}"')
            for name, rows in call.before.items():
                if rows:
                    table = metadata.tables[name]
                    names = tuple(table.c.keys())
                    prepared = statements.prepare_insert(table, names, returning=False)
                    values = prepared.bind_each([dict(zip(names, row, strict=True)) for row in rows], {})
                    await self._owner.executemany(prepared.sql, values)
            for name, ids in new_ids(call).items():
                await self._owner.execute(
                    "SELECT setval(s, $2, false) FROM (SELECT pg_get_serial_sequence($1, 'id') AS s) AS found"
                    " WHERE s IS NOT NULL",
                    f'public."{name}"',
                    min(ids),
                )
        self._filled = {name for name, rows in call.before.items() if rows}


def new_ids(call: RecordedCall) -> dict[str, set[int]]:
    """Return the ids that a call gave to new rows, by table."""
    found: dict[str, set[int]] = {}
    for name, rows in (call.after or {}).items():
        if "id" in metadata.tables[name].c:
            ids = {row.id for row in rows} - {row.id for row in call.before[name]}
            if ids and all(isinstance(each, int) for each in ids):
                found[name] = ids
    return found


def difference(expected: Any, got: Any) -> str | None:
    """Return how a result differs, or None. Rows may come in any order."""
    left, right = _plain(expected), _plain(got)
    if isinstance(left, list) and isinstance(right, list):
        left, right = sorted(left, key=repr), sorted(right, key=repr)
        if len(left) != len(right):
            return f"expected {len(left)} rows, got {len(right)}"
    if repr(left) == repr(right):
        return None
    pairs = _values(left, right)
    return "; ".join(f"expected {one!r}, got {other!r}" for one, other in pairs if repr(one) != repr(other))[:1500]


def _values(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the values that are at the same place in two results."""
    if isinstance(left, list | tuple) and isinstance(right, list | tuple) and len(left) == len(right):
        for one, other in zip(left, right, strict=True):
            yield from _values(one, other)
    else:
        yield left, right


def _plain(value: Any) -> Any:
    """Return a value in a form that is the same for both databases."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, dict):
        return {key: _plain(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(f"{value:.9g}")
    return _plain_text(value) if isinstance(value, str) else value


def _plain_text(text: str) -> Any:
    """Normalize a text: moments, JSON documents and the order of joined texts."""
    if DELIMITER in text:
        return sorted(map(_plain_text, text.split(DELIMITER)), key=repr)
    if text[:1] in ("{", "["):
        with suppress(ValueError):
            return _plain(json.loads(text))
    return MOMENT.sub(_same_moment, text)


def _same_moment(match: re.Match[str]) -> str:
    moment = datetime.fromisoformat(match[0])
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).isoformat()


@cache
def replay_database() -> ReplayDatabase:
    """Return this worker's replay database, created when first needed."""
    return ReplayDatabase()


@pytest.fixture(scope="session", autouse=True)
def recorded_calls() -> Iterator[None]:
    """Record the calls of every test, if PostgreSQL is among the chosen databases."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        if "postgres" in databases.CHOSEN:
            watch_calls(monkeypatch)
        yield


@pytest.fixture(autouse=True)
def replayed_on_postgres(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test with a statement that behaves differently on PostgreSQL.

    Tests that also run on PostgreSQL record nothing.
    """
    RECORDER.recording = not runs_on_both(request.node)
    yield
    RECORDER.recording = False
    calls, RECORDER.pending = RECORDER.pending, []
    if calls:
        faults = replay_database().replay(calls)
        assert not faults, "\n".join(faults)
