"""Benchmark databases: migrated, empty, and deleted afterwards."""

import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

from bench import serve
from bench.seed import Business, seed_orders

ProcessorTime = Callable[[], float]
"""Returns the processor seconds used by the processes of a database so far."""


@dataclass(frozen=True)
class BenchDatabase:
    """A database with the processor time of its own processes; SQLite has none."""

    name: str
    url: str
    processor_s: ProcessorTime


@contextmanager
def bench_database(name: str) -> Generator[BenchDatabase]:
    """Yield a migrated, empty database and delete it afterwards."""
    with database_address(name) as url:
        if name == "sqlite":
            yield BenchDatabase(name, url, lambda: 0.0)
        else:
            from tests.support.databases import cluster

            pid = int(cluster().read("SELECT pg_backend_pid()")[0][0])
            postmaster = psutil.Process(pid).ppid()
            yield BenchDatabase(name, url, lambda: serve.processor_seconds(postmaster))


@contextmanager
def database_address(name: str) -> Generator[str]:
    """Yield the URL of a migrated, empty database and delete it afterwards."""
    if name == "sqlite":
        from haulier.adapters.migrations import upgrade_schema

        with tempfile.TemporaryDirectory(prefix="haulier-bench-") as folder:
            url = f"sqlite:///{folder}/bench.db"
            upgrade_schema(url)
            yield url
    else:
        from tests.support.databases import cluster

        yield cluster().url()
        cluster().sweep()


def postgres_version() -> str:
    """Return the version of the private cluster."""
    from tests.support.databases import cluster

    return str(cluster().ask("SHOW server_version")[0][0])


@contextmanager
def private_cluster(databases: list[str]) -> Generator[None]:
    """Stop the private PostgreSQL at the end, if it is one of the databases."""
    try:
        yield
    finally:
        if "postgres" in databases:
            from tests.support.databases import leave

            leave()


def seeded_servers(databases: list[str], orders: int) -> Iterator[tuple[str, Business, int]]:
    """Yield the name of each database, a seeded business, and the port of a server."""
    with private_cluster(databases):
        for name in databases:
            with database_address(name) as url:
                business = Business()
                seed_orders(url, business, orders, lambda _: None)
                with serve.serve_haulier(url) as port:
                    yield name, business, port
