"""Statements sent to Citus, checked on a plain PostgreSQL that looks like it."""

import re
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from sqlalchemy import func, select
from tests.contexts.orders.examples import ORDER
from tests.kernel.data.sample_tables import OURS, THEIRS, crates, fill_tables, pieces, sample_metadata, zones
from tests.support.app import make_app
from tests.support.citus_stand_in import DROP_STAND_IN, PLACE_ALL, STAND_IN
from tests.support.databases import cluster, make_tables

from haulier.adapters import postgres_pool
from haulier.adapters.database import database_for
from haulier.adapters.postgres import Postgres
from haulier.adapters.postgres_errors import translated_error
from haulier.kernel.data.outages import DatabaseUnsafe
from haulier.kernel.data.unit_of_work import UniqueConflict

COUNT = select(func.count()).select_from(pieces)
PASS_ON = (
    "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I {} citus.propagate_set_commands {}', current_database()); END $$"
)
REFUSED = {
    "several commands": r"(BEGIN|SET|ROLLBACK|RELEASE)\b.*;",
    "a setting of the session": r".*(set_config\('haulier|\bSET haulier)",
    "arrays that are copied to the shards": r"(WITH .*)?INSERT .*\bunnest\(\$",
    "tables of several nodes": r"WITH later_",
    "a change of the schema": r"(CREATE|ALTER|DROP)\b",
}
"""Statements that Citus refuses, or sends to its workers without the client."""


@pytest.fixture
async def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the statements that connections of the pool send."""
    statements: list[str] = []
    open_connection = postgres_pool.open_connection

    async def observed(url: str, **options: Any) -> asyncpg.Connection:
        connection = await open_connection(url, **options)
        connection.add_query_logger(lambda query: statements.append(query.query))
        return connection

    monkeypatch.setattr(postgres_pool, "open_connection", observed)
    return statements


def violations(statements: list[str]) -> set[str]:
    return {
        f"{why}: {' '.join(sql.split())}"
        for sql in statements
        for why, pattern in REFUSED.items()
        if re.match(pattern, sql.strip(), re.DOTALL) and "pg_notify" not in sql
    }


async def run(sql: str) -> None:
    connection = await asyncpg.connect(cluster().url())
    await connection.execute(sql)
    await connection.close()


@pytest.fixture
async def looks_like_citus() -> AsyncIterator[str]:
    await run(STAND_IN)
    cluster().ask(PASS_ON.format("SET", "TO local"))
    yield cluster().url()
    cluster().ask(PASS_ON.format("RESET", ""))
    await run(DROP_STAND_IN)
    cluster().sweep()


@pytest.fixture
async def distributed(looks_like_citus: str, sent: list[str]) -> AsyncIterator[Postgres]:
    await make_tables(looks_like_citus, sample_metadata)
    await run(PLACE_ALL)
    database = Postgres(looks_like_citus, pool_size=1)
    await database.open()
    await fill_tables(database)
    yield database
    await database.close()


async def test_reads_and_writes_set_the_client_in_a_transaction(distributed: Postgres, sent: list[str]) -> None:
    for client in (OURS, THEIRS):
        async with distributed.read(client) as work:
            assert await work.value(COUNT) == 3
            assert await work.without_tenant_filter("a test").value(COUNT) == 6
        async with distributed.write(client) as work:
            with pytest.raises(ZeroDivisionError):
                await break_off(work)
            await work.insert_later(pieces, [{"name": "later"}, {"name": "last"}])
            work.mark_for_rollback()
    assert violations(sent) == set()
    assert "BEGIN" in sent
    assert f"SET LOCAL haulier.client = '{OURS}'" in sent


async def break_off(work: Any) -> None:
    async with work.savepoint():
        await work.insert(pieces, name="undone")
        raise ZeroDivisionError


async def test_many_rows_are_lists_whose_ids_return_in_order(distributed: Postgres, sent: list[str]) -> None:
    names = [f"n{n}" for n in range(101)]
    async with distributed.write(OURS) as work:
        ids = await work.insert_many(crates, [{"name": name} for name in names])
        await work.insert_many(zones, [{"name": name} for name in names[:3]])
        everyone = work.without_tenant_filter("a test")
        both = await everyone.insert_many(pieces, [{"client_id": each, "name": "p"} for each in (THEIRS, OURS)])
    assert violations(sent) == set()
    assert sum("INTO test_crate" in sql for sql in sent[-12:]) == 4  # 64, 32, 4 and 1 rows
    async with distributed.read(OURS) as work:
        kept = {row.id: row.name for row in await work.all(select(crates.c.id, crates.c.name))}
        assert [kept[each] for each in ids] == names
        owners = await work.without_tenant_filter("a test").all(select(pieces.c.id, pieces.c.client_id))
        assert [{row.id: row.client_id for row in owners}[each] for each in both] == [THEIRS, OURS]


async def test_a_citus_without_client_propagation_is_not_ready(distributed: Postgres) -> None:
    await distributed.ping()
    cluster().ask(PASS_ON.format("RESET", ""))
    later = Postgres(cluster().url(), pool_size=1)
    await later.open()
    with pytest.raises(DatabaseUnsafe, match="haulier db distribute"):
        await later.ping()
    await later.close()


async def test_a_table_unmanaged_by_citus_makes_the_node_not_ready(distributed: Postgres) -> None:
    await distributed.ping()
    await run("DELETE FROM pg_dist_partition WHERE logicalrelid = 'test_zone'::regclass")
    with pytest.raises(DatabaseUnsafe, match="does not manage test_zone: run haulier db distribute"):
        await distributed.ping()


async def test_a_conflict_on_a_worker_names_the_constraint(distributed: Postgres) -> None:
    error = asyncpg.UniqueViolationError('duplicate key value violates unique constraint "uq_test_crate_name_102081"')
    conflict = translated_error(error)
    assert isinstance(conflict, UniqueConflict)
    assert conflict.constraint == "uq_test_crate_name"


async def test_distribution_while_the_application_runs_is_detected(sent: list[str]) -> None:
    database = Postgres(cluster().url(), pool_size=1)
    await database.open()
    assert database.distributed is False
    await run(STAND_IN)
    try:
        with pytest.raises(DatabaseUnsafe):
            await database.ping()
        async with database.read(None) as work:
            await work.all(select(func.now()))
        assert "BEGIN" in sent
    finally:
        await database.close()
        await run(DROP_STAND_IN)


async def test_replicas_are_not_used_on_citus(looks_like_citus: str) -> None:
    database: Any = database_for(looks_like_citus, replicas=[looks_like_citus])
    await database.open()
    async with database.read(None, replica=True) as work:
        assert await work.value(select(func.pg_is_in_recovery())) is False
    assert database.reads_by_source == {"primary": 1}
    await database.close()


async def test_the_application_sends_only_statements_citus_supports(looks_like_citus: str, sent: list[str]) -> None:
    await run(PLACE_ALL)
    async with make_app(looks_like_citus) as app:
        await app.answer("admin", "create_order", {**ORDER, "packages": [{"weight_g": 100}, {"weight_g": 200}]})
        assert (await app.answer("admin", "get_orders", {})).total == 1
        assert (await app.answer("rival", "get_orders", {})).total == 0
        assert (await app.http.get("/readyz")).status_code == 200
    assert violations(sent) == set()
