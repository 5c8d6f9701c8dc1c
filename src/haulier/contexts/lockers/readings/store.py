"""Table of device measurements and its statements."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Index, Integer, bindparam, delete, func, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

readings = tenant_table(
    "device_reading",
    Column("device_id", Id, nullable=False),
    Column("at", UTCDateTime, nullable=False),
    Column("telemetry", Json, nullable=False),
    Column("clock_offset_s", Integer, nullable=False),
    Index("ix_device_reading_device", "client_id", "device_id", "at"),
)
plain_columns(readings, "telemetry")
_over = delete(readings).where(
    readings.c.device_id == bindparam("device"), readings.c.at < bindparam("before", type_=UTCDateTime)
)


class DeviceReadingRow(Row):
    """A measurement of a device."""

    id: int
    at: datetime
    telemetry: dict[str, Any]
    clock_offset_s: int


async def insert_reading(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Insert a measurement."""
    await work.insert(readings, **values)


async def list_reading_rows(
    work: UnitOfWork, device_id: int, since: datetime | None, until: datetime | None, *, limit: int, offset: int
) -> tuple[Sequence[DeviceReadingRow], int]:
    """List a page of measurements of a device, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [readings.c.device_id == device_id]
    if since is not None:
        conditions.append(readings.c.at >= since)
    if until is not None:
        conditions.append(readings.c.at < until)
    page = select(readings).where(*conditions).order_by(readings.c.at.desc(), readings.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), DeviceReadingRow)
    counted = select(readings.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))


async def delete_readings_before(work: UnitOfWork, device_id: int, before: datetime) -> None:
    """Delete the measurements of a device before a time."""
    await work.run(_over, device=device_id, before=before)
