"""Selection of the database adapter by URL."""

from collections.abc import Sequence
from pathlib import Path

from haulier.adapters.sqlite import SQLite
from haulier.kernel.data.unit_of_work import Database

DEFAULT_POOL_SIZE = 10


def database_for(
    url: str,
    *,
    pool_size: int = DEFAULT_POOL_SIZE,
    direct_url: str | None = None,
    replicas: Sequence[str] = (),
) -> Database:
    """Return the database at a URL, without opening it.

    `url` is `sqlite:///file`, `sqlite://` (private and temporary) or `postgresql://…`. `pool_size`, `direct_url` and
    `replicas` (URLs of read replicas) apply only to PostgreSQL: see the settings `pool_size`, `database_direct` and
    `replicas`. Raises `ValueError` for other URLs.
    """
    scheme, _, rest = url.partition("://")
    if scheme == "sqlite":
        return SQLite(Path(rest.removeprefix("/")) if rest else None)
    if scheme in ("postgresql", "postgres"):
        from haulier.adapters.postgres import Postgres
        from haulier.adapters.postgres_replicas import ReplicatedPostgres

        if replicas:
            return ReplicatedPostgres(url, replicas, pool_size=pool_size, direct_url=direct_url)
        return Postgres(url, pool_size=pool_size, direct_url=direct_url)
    raise ValueError("a database is at sqlite:///file or postgresql://host/name")
