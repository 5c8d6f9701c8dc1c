"""PostgreSQL behind a transaction pooler such as PgBouncer."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import func, select
from tests.kernel.data.sample_tables import OURS, THEIRS, crates, fill_tables, pieces, sample_metadata
from tests.support.app import make_app
from tests.support.databases import OWNER, cluster, make_tables
from tests.support.live import free_port

from haulier.adapters.postgres import Postgres

COUNT = select(func.count()).select_from(pieces)
SESSION_STATE = """
SELECT nullif(current_setting('haulier.client', true), ''), (SELECT count(*) FROM pg_locks
WHERE locktype = 'advisory' AND pid = pg_backend_pid()), (SELECT count(*) FROM pg_listening_channels())
"""
OLDEST = (1, 21)
"""Earlier ones cannot keep prepared statements."""
CONFIGURATION = """
[databases]
{name} = host={folder} user={owner}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_prepared_statements = 1000
default_pool_size = 2
"""
PATIENCE_S = 60


@pytest.fixture
async def pooled() -> AsyncIterator[Postgres]:
    """Return a database configured for a pooler; every transaction has one connection."""
    url = cluster().url()
    await make_tables(url, sample_metadata)
    database = Postgres(url, pool_size=1, direct_url=url)
    await database.open()
    await fill_tables(database)
    yield database
    await database.close()
    cluster().sweep()


async def test_reads_and_writes_leave_no_state_on_a_pooled_connection(pooled: Postgres) -> None:
    async def state() -> tuple[object, ...]:
        rows = await pooled._fetch_rows(SESSION_STATE)
        return tuple(rows[0])

    await pooled.listen("board", lambda _: None)
    for client in (OURS, THEIRS):
        async with pooled.read(client) as work:
            assert await work.value(COUNT) == 3
            assert await work.without_tenant_filter("a test").value(COUNT) == 6
            assert await work.value(COUNT) == 3
        assert await state() == (None, 0, 0)
        async with pooled.write(client) as work:
            async with work.savepoint():
                await work.insert(crates, name="new")
            assert await work.without_tenant_filter("a test").value(COUNT) == 6
            assert await work.value(COUNT) == 3
        assert await state() == (None, 0, 0)


@pytest.fixture
def pgbouncer() -> Iterator[str]:
    """Yield the test database URL through a PgBouncer with two shared connections."""
    program = _find_program()
    url, port = cluster().url(), free_port()
    name = url.partition("?")[0].rpartition("/")[2]
    folder = url.partition("host=")[2]
    with tempfile.TemporaryDirectory(prefix="haulier-pooler-") as where:
        Path(where).chmod(0o755)  # PgBouncer does not run as root
        config = Path(where, "pgbouncer.ini")
        config.write_text(CONFIGURATION.format(name=name, folder=folder, owner=OWNER, port=port))
        as_other = ["--user", Path(folder).owner()] if os.geteuid() == 0 else []
        process = subprocess.Popen([program, "--quiet", *as_other, str(config)])
        try:
            _wait_for(port)
            yield f"postgresql://{OWNER}@127.0.0.1:{port}/{name}"
        finally:
            process.terminate()
            process.wait()
            cluster().sweep()


def _find_program() -> str:
    program = shutil.which("pgbouncer")
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout if program else ""
    version = re.search(r"PgBouncer (\d+)\.(\d+)", said)
    if not program or not version or (int(version[1]), int(version[2])) < OLDEST:
        pytest.skip("PgBouncer 1.21 or later is not installed")
    return program


def _wait_for(port: int) -> None:
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        time.sleep(0.05)
    raise TimeoutError("PgBouncer does not listen")


async def test_the_application_works_through_pgbouncer_with_fewer_connections(pgbouncer: str) -> None:
    async with make_app(pgbouncer, database_direct=cluster().url()) as app:
        place = {"name": "North", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
        for _ in range(3):
            for who in ("admin", "rival"):
                await app.answer(who, "create_depot", place)
        for _ in range(3):
            assert len((await app.answer("admin", "list_depots")).depots) == 3
            assert len((await app.answer("rival", "list_depots")).depots) == 3
        connection = await asyncpg.connect(pgbouncer)
        with pytest.raises(asyncpg.PostgresError, match=r"haulier\.client|bigint"):
            await connection.fetchval("SELECT count(*) FROM depot")
        await connection.close()
