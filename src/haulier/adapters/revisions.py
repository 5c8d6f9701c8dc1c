"""Database revisions of this version, read from the text of their files.

Importing the migration code would take a third of a second.
"""

import contextlib
import re
from functools import cache
from pathlib import Path

MIGRATIONS_FOLDER = Path(__file__).parent.parent / "migrations"

LAST_COMMIT_BEFORE_BASELINE = "7231fab57793"
"""The newest commit with the pre-release revisions that the baseline replaced."""

ADVISORY_LOCK_KEY = 4_241_906_853  # arbitrary, but the same in every process that migrates
_REVISION = re.compile(r"""^revision: str = ["'](\w+)["']""", re.MULTILINE)
_PREDECESSOR = re.compile(r"""^down_revision: .*= (?:["'](\w+)["']|None)$""", re.MULTILINE)


_PHASE = re.compile(r"""^phase: str = ["'](\w+)["']$""", re.MULTILINE)
EXPAND, CONTRACT = "expand", "contract"
"""Phases of revisions. After `expand`, servers of the version before keep working; before `contract`, they must stop."""
_COMPLETES = re.compile(r"""^completes: str = ["'](\w+)["']$""", re.MULTILINE)


class OutdatedDatabase(Exception):
    """Raised for a database at a pre-release revision that the baseline replaced."""

    def __init__(self, revision: str) -> None:
        super().__init__(
            f"this database is at the pre-release revision {revision}, which this version cannot upgrade. Run `haulier db"
            f" upgrade` with the source of commit {LAST_COMMIT_BEFORE_BASELINE} first, and then with this version."
        )


def newest_revision() -> str:
    """Return the revision of a fully migrated database."""
    return known_revisions()[-1]


def is_before_baseline(revision: str | None, baseline: str | None) -> bool:
    """Return True for a revision that the baseline replaced."""
    return revision is not None and baseline is not None and revision < baseline


@cache
def known_revisions() -> list[str]:
    """Return every revision of this version, oldest first.

    Raises `ValueError` if the revisions are not linear.
    """
    following: dict[str | None, str] = {}
    for file in MIGRATIONS_FOLDER.glob("versions/[0-9]*.py"):
        text = file.read_text(encoding="utf-8")
        revision, predecessor = _REVISION.search(text), _PREDECESSOR.search(text)
        if revision is None or predecessor is None or predecessor[1] in following:
            raise ValueError(f"{file.name} does not follow upon one other revision")
        following[predecessor[1]] = revision[1]
    line, last = list[str](), None
    while last in following:
        last = following[last]
        line.append(last)
    return line


@cache
def phases_of_revisions() -> dict[str, str]:
    """Return the phase of every revision. Raises `ValueError` if one has none."""
    phases: dict[str, str] = {}
    for file in MIGRATIONS_FOLDER.glob("versions/[0-9]*.py"):
        text = file.read_text(encoding="utf-8")
        revision, phase = _REVISION.search(text), _PHASE.search(text)
        if revision is None or phase is None or phase[1] not in (EXPAND, CONTRACT):
            raise ValueError(f"{file.name} has no phase: {EXPAND} or {CONTRACT}")
        phases[revision[1]] = phase[1]
    return phases


@cache
def completed_expansions() -> dict[str, str]:
    """Return the `expand` revisions that `contract` revisions complete, by revision."""
    completed: dict[str, str] = {}
    for file in MIGRATIONS_FOLDER.glob("versions/[0-9]*.py"):
        text = file.read_text(encoding="utf-8")
        revision, completes = _REVISION.search(text), _COMPLETES.search(text)
        if revision and completes:
            completed[revision[1]] = completes[1]
    return completed


def is_at_newest_revision(url: str) -> bool:
    """Return True if an embedded database is at the newest revision.

    Returns False if this cannot be determined without migrating, as on PostgreSQL.
    """
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
