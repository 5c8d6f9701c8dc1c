"""What befalls a database from outside: its writer is held, so that a call or a job elsewhere is under way; or it is away."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import apsw
import asyncpg
from tests.support.databases import cluster


@contextmanager
def orders_locked(database: str) -> Iterator[None]:
    """While the context is open nobody else writes an order: on SQLite nobody writes at all."""
    if database.startswith("sqlite"):
        with _file_locked(database.removeprefix("sqlite:///")):
            yield
    else:
        with _table_locked():
            yield


@contextmanager
def _file_locked(path: str) -> Iterator[None]:
    """Ask again and again without a pause: between two transactions of a busy writer there is next to no time."""
    connection = apsw.Connection(path)
    while not connection.in_transaction:
        with suppress(apsw.BusyError):
            connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


@contextmanager
def _table_locked() -> Iterator[None]:
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(cluster().url(role="postgres")))
        transaction = connection.transaction()
        runner.run(transaction.start())
        runner.run(connection.execute("LOCK TABLE delivery_order IN EXCLUSIVE MODE"))
        try:
            yield
        finally:
            runner.run(transaction.rollback())
            runner.run(connection.close())


@contextmanager
def database_moved_away(name: str) -> Iterator[None]:
    """While the context is open a database of the cluster lets nobody in."""
    admin = cluster()
    admin.ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false", name="postgres")
    admin.ask("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", name, name="postgres")
    try:
        yield
    finally:
        admin.ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true", name="postgres")
