"""Simulation of an unavailable database."""

from collections.abc import Generator
from contextlib import contextmanager

from tests.support.databases import cluster


@contextmanager
def database_moved_away(name: str) -> Generator[None]:
    """Reject all connections to a database of the cluster while the context is open."""
    admin = cluster()
    admin.ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false", name="postgres")
    admin.ask("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", name, name="postgres")
    try:
        yield
    finally:
        admin.ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true", name="postgres")
