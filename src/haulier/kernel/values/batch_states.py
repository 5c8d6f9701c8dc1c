"""How far work is that is done row by row: imports of files, orders sent many at once, geocoding."""

from datetime import datetime
from enum import StrEnum


class ImportRowState(StrEnum):
    """What became of a row."""

    QUEUED = "queued"
    CREATED = "created"
    UPDATED = "updated"
    REFUSED = "refused"
    CANCELLED = "cancelled"


UNFINISHED = frozenset({"queued", "running"})
"""The states of `batch_state` in which there is still something to do."""


def batch_state(
    total: int, done: int, refused: int, finished_at: datetime | None, cancelled_at: datetime | None
) -> str:
    """`queued`, `running`, `done`, `partly_done` (some were refused), `failed` (all were) or `cancelled`."""
    if cancelled_at:
        return "cancelled"
    if not finished_at:
        return "running" if done else "queued"
    return "done" if not refused else "failed" if refused == total else "partly_done"
