"""States of work done row by row: file imports, bulk orders, geocoding."""

from datetime import datetime
from enum import StrEnum


class ImportRowState(StrEnum):
    """Outcome of a row."""

    QUEUED = "queued"
    CREATED = "created"
    UPDATED = "updated"
    REFUSED = "refused"
    CANCELLED = "cancelled"


UNFINISHED = frozenset({"queued", "running"})
"""States of `batch_state` with work left."""


def batch_state(
    total: int, done: int, refused: int, finished_at: datetime | None, cancelled_at: datetime | None
) -> str:
    """Return the state of row-by-row work.

    It is `queued`, `running`, `done`, `partly_done`, `failed` (all rows were refused) or `cancelled`.
    """
    if cancelled_at:
        return "cancelled"
    if not finished_at:
        return "running" if done else "queued"
    return "done" if not refused else "failed" if refused == total else "partly_done"
