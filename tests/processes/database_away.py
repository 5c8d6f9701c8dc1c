"""What befalls a database from outside: it is away."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.databases import cluster


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
