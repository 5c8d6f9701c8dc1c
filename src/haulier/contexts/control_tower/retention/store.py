"""Progress of the daily retention run by kind of record."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, String, UniqueConstraint, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

progress = tenant_table(
    "retention_progress",
    Column("kind", String(40), nullable=False),
    Column("done_until", UTCDateTime, nullable=False),
    Column("last_run_at", UTCDateTime, nullable=False),
    Column("removed", BigInteger, nullable=False),
    UniqueConstraint("client_id", "kind"),
)
"""Changes before `done_until` were erased already, for rows that stay."""
plain_columns(progress, "kind")

_all = select(progress)


class RetentionProgressRow(Row):
    """Progress of the run for a kind of record."""

    kind: str
    done_until: datetime
    last_run_at: datetime
    removed: int


async def list_progress(work: UnitOfWork) -> dict[str, RetentionProgressRow]:
    """Return the progress by kind; kinds that were never checked are missing."""
    return {row.kind: row for row in await work.all(_all, RetentionProgressRow)}


async def upsert_progress(work: UnitOfWork, kind: str, **values: Any) -> None:
    """Store the progress for a kind."""
    await work.upsert(progress, ("kind",), kind=kind, **values)
