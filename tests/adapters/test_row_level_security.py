"""Row-level security on PostgreSQL, for connections without the tenant filter."""

import contextlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import asyncpg
import pytest
from sqlalchemy import func, select
from tests.kernel.data.sample_tables import OURS, THEIRS, crates, fill_tables, pieces, sample_metadata
from tests.support.databases import OWNER, cluster, make_tables

from haulier.adapters.postgres import Postgres
from haulier.kernel.data.unit_of_work import UniqueConflict, UnitOfWork

COUNT = select(func.count()).select_from(pieces)


@pytest.fixture
async def stock() -> AsyncIterator[Postgres]:
    url = cluster().url()
    await make_tables(url, sample_metadata)
    database = Postgres(url, pool_size=1)
    await database.open()
    await fill_tables(database)
    yield database
    await database.close()
    cluster().sweep()


@pytest.fixture
async def raw(stock: Postgres) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(cluster().url())
    yield connection
    await connection.close()


async def seen(connection: asyncpg.Connection) -> int:
    return await connection.fetchval("SELECT count(*) FROM test_piece")


async def test_a_connection_without_a_client_gets_an_error_instead_of_no_rows(raw: asyncpg.Connection):
    with pytest.raises(asyncpg.UndefinedObjectError, match=r"haulier\.client"):
        await seen(raw)
    await raw.execute("SET haulier.client = ''")
    with pytest.raises(asyncpg.InvalidTextRepresentationError):
        await seen(raw)


async def test_a_connection_sees_only_its_client(raw: asyncpg.Connection):
    await raw.execute(f"SET haulier.client = '{OURS}'")
    assert await seen(raw) == 3
    await raw.execute("SET haulier.client = '*'")
    assert await seen(raw) == 6


async def test_a_finished_transaction_leaves_no_access(raw: asyncpg.Connection):
    async with raw.transaction():
        await raw.execute(f"SET LOCAL haulier.client = '{OURS}'")
        assert await seen(raw) == 3
    with pytest.raises(asyncpg.InvalidTextRepresentationError):
        await seen(raw)


async def test_rows_of_another_client_cannot_be_written(raw: asyncpg.Connection):
    await raw.execute(f"SET haulier.client = '{OURS}'")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await raw.execute(f"INSERT INTO test_crate (client_id, name, weight_g) VALUES ({THEIRS}, 'x', 1)")
    assert await raw.execute(f"UPDATE test_crate SET name = 'x' WHERE client_id = {THEIRS}") == "UPDATE 0"


async def test_one_connection_serves_clients_in_turn_with_the_correct_one_set(stock: Postgres):
    for client in (OURS, THEIRS, OURS):
        async with stock.read(client) as work:
            assert await work.value(COUNT) == 3
            assert await work.without_tenant_filter("a test").value(COUNT) == 6
            assert await work.value(COUNT) == 3


async def break_off(block: AbstractAsyncContextManager[UnitOfWork | None], work: UnitOfWork | None = None) -> None:
    """Say for whom we speak within a block, then fail."""
    async with block as opened:
        assert await (work or opened).value(COUNT) in (3, 6)
        raise ZeroDivisionError


async def test_the_client_is_set_again_after_a_rollback(stock: Postgres):
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await break_off(stock.write(THEIRS))
        async with stock.write(OURS) as work:
            with pytest.raises(ZeroDivisionError):
                await break_off(work.savepoint(), work.without_tenant_filter("a test"))
            assert await work.value(COUNT) == 3
            await work.insert(crates, name=f"new{_}")
            work.mark_for_rollback()
        async with stock.read(THEIRS) as work:
            assert await work.value(COUNT) == 3


async def test_a_swallowed_error_is_not_mistaken_for_a_commit(stock: Postgres):
    async def swallow() -> None:
        async with stock.write(OURS) as work:
            with contextlib.suppress(UniqueConflict):
                await work.insert(crates, name="full")

    with pytest.raises(RuntimeError, match="savepoint"):
        await swallow()


async def test_the_client_is_set_once_per_connection(stock: Postgres, monkeypatch: pytest.MonkeyPatch):
    from haulier.adapters.postgres_pool import TenantConnection

    told: list[str] = []
    set_tenant = TenantConnection.set_tenant

    async def counted(self: TenantConnection, rls_tenant: str) -> None:
        told.append(rls_tenant)
        await set_tenant(self, rls_tenant)

    monkeypatch.setattr(TenantConnection, "set_tenant", counted)
    for client in (OURS, OURS, OURS, THEIRS, THEIRS):
        async with stock.read(client) as work:
            await work.value(COUNT)
            await work.value(COUNT)
    assert told == [str(OURS), str(THEIRS)]


async def test_a_role_that_cannot_change_the_audit_trail_can_still_erase(raw: asyncpg.Connection):
    tables = "audit_entry, audit_subject, audit_seal"
    insert = """INSERT INTO audit_entry (at, operation, account, door, request_id, request, salt)
    VALUES (now(), 'o', 'a', 'rest', 'r', '{"name": "Ann"}', 'salt') RETURNING id"""
    cluster().ask("DROP ROLE IF EXISTS audit_clerk")
    cluster().ask("CREATE ROLE audit_clerk")
    try:
        await raw.execute(f"GRANT SELECT, INSERT ON {tables} TO audit_clerk")
        cluster().ask(f"GRANT audit_clerk TO {OWNER}")
        await raw.execute("SET ROLE audit_clerk; SET haulier.erases_audit_entries = 'on'")
        entry = await raw.fetchval(insert)
        for change in ("UPDATE audit_entry SET door = 'x'", "DELETE FROM audit_entry", "TRUNCATE audit_seal"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="permission denied"):
                await raw.execute(change)
        await raw.execute("SELECT haulier_erase_audit_entry($1, $2, NULL, NULL)", entry, "{}")
        assert await raw.fetchval("SELECT request::text FROM audit_entry") == "{}"
        await raw.execute("SELECT haulier_remove_audit_entries($1)", [entry])
        assert await raw.fetchval("SELECT count(*) FROM audit_entry") == 0
    finally:
        await raw.execute("RESET ROLE")
        await raw.execute(f"REVOKE ALL ON {tables} FROM audit_clerk")
        cluster().ask("DROP ROLE audit_clerk")
