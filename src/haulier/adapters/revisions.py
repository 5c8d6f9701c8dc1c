"""The revisions of this version, read from their file names alone: importing the migration code takes a third of a second."""

import contextlib
from pathlib import Path

MIGRATIONS_FOLDER = Path(__file__).parent.parent / "migrations"


def newest_revision() -> str:
    """The revision that a migrated database is at. Revisions are one line, and their files are numbered along it."""
    return known_revisions()[-1]


def known_revisions() -> list[str]:
    """Every revision of this version, oldest first."""
    return sorted(file.name.partition("_")[0] for file in MIGRATIONS_FOLDER.glob("versions/[0-9]*.py"))


def is_at_newest_revision(url: str) -> bool:
    """Whether an embedded database is migrated already. False where only migrating can tell, as on PostgreSQL."""
    import apsw

    if not url.startswith("sqlite:"):
        return False
    with contextlib.suppress(apsw.Error):
        connection = apsw.Connection(url.removeprefix("sqlite:///"), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(newest_revision(),)]
        finally:
            connection.close()
    return False
