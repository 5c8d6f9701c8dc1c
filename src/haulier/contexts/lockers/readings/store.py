"""Table of device measurements and its statements."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Index, bindparam, delete, func, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT


class DeviceReadingRow(
    Record, table="device_reading", items=[Index("ix_device_reading_device", "client_id", "device_id", "at")]
):
    """A measurement of a device."""

    device_id: Reference
    at: datetime
    telemetry: dict[str, Any]
    clock_offset_s: int


readings = DeviceReadingRow.table
plain_columns(readings, "telemetry")
_over = delete(readings).where(
    readings.c.device_id == bindparam("device"), readings.c.at < bindparam("before", type_=UTCDateTime)
)


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
