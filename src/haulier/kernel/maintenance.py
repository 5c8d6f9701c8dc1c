"""Maintenance mode: writes are refused on every node, reads continue."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime

from sqlalchemy import Column, Integer, String, UniqueConstraint, bindparam, delete, select
from sqlalchemy.dialects.postgresql import insert

from haulier.kernel.application import Application
from haulier.kernel.background.tasks import running
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import UTCDateTime, shared_table
from haulier.kernel.data.unit_of_work import UnitOfWork

POLL_S = 2.0
"""Interval at which a node looks for a change."""
log = logging.getLogger("haulier.maintenance")
maintenance_table = shared_table(
    "maintenance",
    Column("slot", Integer, nullable=False),
    Column("reason", String(300), nullable=False),
    Column("began_at", UTCDateTime, nullable=False),
    UniqueConstraint("slot"),
    machinery=True,
)
"""One row while the mode is on: `slot` is always 1."""
plain_columns(maintenance_table, "reason")


class MaintenanceRow(Row):
    """The reason and the start of maintenance."""

    reason: str
    began_at: datetime


_new = insert(maintenance_table).values(
    slot=1, reason=bindparam("why"), began_at=bindparam("at", type_=maintenance_table.c.began_at.type)
)
_begin = _new.on_conflict_do_update(index_elements=["slot"], set_={"reason": _new.excluded.reason})
_end = delete(maintenance_table)
_current = select(maintenance_table.c.reason, maintenance_table.c.began_at)


async def start_maintenance(work: UnitOfWork, reason: str, now: datetime) -> None:
    """Refuse writes on every node. A repeat changes the reason."""
    await work.run(_begin, why=reason, at=now)


async def end_maintenance(work: UnitOfWork) -> bool:
    """Allow writes again. Return True if the mode was on."""
    return await work.run(_end) > 0


async def find_maintenance(work: UnitOfWork) -> MaintenanceRow | None:
    """Return the current maintenance, or None."""
    return await work.first(_current, MaintenanceRow)


@asynccontextmanager
async def watch_maintenance(app: Application) -> AsyncGenerator[None]:
    """Apply changes of the mode to this process while the context is open."""
    await _apply_mode(app)
    async with running(_poll_mode(app), name="maintenance"):
        yield


async def _poll_mode(app: Application) -> None:
    while True:
        await asyncio.sleep(POLL_S)
        await _apply_mode(app)


async def _apply_mode(app: Application) -> None:
    """Read the mode. Without the database, it stays as it was."""
    try:
        async with app.database.read(None) as work:
            found = await find_maintenance(work)
    except Exception:
        log.debug("could not read the maintenance mode", exc_info=True)
        return
    if app.in_maintenance is not (found is not None):
        log.warning("maintenance %s", f"began: {found.reason}" if found else "ended")
    app.in_maintenance = found is not None
