"""How far the daily round has come with each kind of record."""

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
"""What changed before `done_until` was erased already, where rows are left standing."""
plain_columns(progress, "kind")

_all = select(progress)


class RetentionProgressRow(Row):
    """How far the round has come with a kind of record."""

    kind: str
    done_until: datetime
    last_run_at: datetime
    removed: int


async def list_progress(work: UnitOfWork) -> dict[str, RetentionProgressRow]:
    """How far the round has come, by kind; kinds that were never looked at are absent."""
    return {row.kind: row for row in await work.all(_all, RetentionProgressRow)}


async def upsert_progress(work: UnitOfWork, kind: str, **values: Any) -> None:
    """Write how far the round has come with a kind."""
    await work.upsert(progress, ("kind",), kind=kind, **values)
