"""Which database an address means."""

from pathlib import Path

from haulier.adapters.postgres import Postgres
from haulier.adapters.sqlite import SQLite
from haulier.kernel.data.unit_of_work import Database


def database_for(url: str) -> Database:
    """The database at `sqlite:///file`, `sqlite://` (private and temporary) or `postgresql://…`, not opened yet.

    Raises `ValueError` for any other kind of address.
    """
    scheme, _, rest = url.partition("://")
    if scheme == "sqlite":
        return SQLite(Path(rest.removeprefix("/")) if rest else None)
    if scheme in ("postgresql", "postgres"):
        return Postgres(url)
    raise ValueError("a database is at sqlite:///file or postgresql://host/name")
