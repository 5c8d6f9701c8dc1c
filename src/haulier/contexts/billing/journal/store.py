"""Tables and statements of the accounting journal."""

from datetime import date, datetime

from sqlalchemy import UniqueConstraint, select

from haulier.contexts.billing.journal.rules import Closing
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.unit_of_work import UnitOfWork


class JournalSettingRow(Record, table="journal_setting", items=[UniqueConstraint("client_id")]):
    """Account numbers of a business. Closing a period locks this row."""

    numbers: dict[str, str]
    updated_at: datetime


class JournalClosingRow(Record, table="journal_closing", items=[UniqueConstraint("client_id", "closed_until")]):
    """Closed period with the account numbers that it keeps."""

    closed_until: date
    numbers: dict[str, str]
    closed_at: datetime
    closed_by: Reference | None


settings, closings = JournalSettingRow.table, JournalClosingRow.table
plain_columns(settings, "numbers")
plain_columns(closings, "numbers")

_settings = select(settings)
_closings = select(closings).order_by(closings.c.closed_until)


async def get_numbers(work: UnitOfWork) -> dict[str, str]:
    """Return the account numbers of the business. Accounts without one are absent."""
    row = await work.first(_settings, JournalSettingRow)
    return dict(row.numbers) if row else {}


async def lock_settings(work: UnitOfWork, now: datetime) -> JournalSettingRow:
    """Lock and return the settings. Insert empty ones if none are set."""
    return await JournalSettingRow.lock_or_insert(work, {"numbers": {}, "updated_at": now})


async def list_closings(work: UnitOfWork) -> list[Closing]:
    """Return the closed periods, oldest first."""
    rows = await work.all(_closings, JournalClosingRow)
    return [Closing(closed_until=row.closed_until, numbers=row.numbers) for row in rows]
