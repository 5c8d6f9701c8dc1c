"""Table of uploads, by the name that the device gave to each file.

A stop can thus name a photo before it is uploaded.
"""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Column, String, UniqueConstraint, bindparam, select

from haulier.contexts.driver_app.fields import UPLOAD_NAME_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

uploads = tenant_table(
    "rider_upload",
    Column("driver_id", Id, nullable=False),
    Column("upload_id", String(UPLOAD_NAME_MAX), nullable=False),
    Column("stop_id", Id, nullable=False),
    Column("file_id", Id, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "driver_id", "upload_id"),
)
plain_columns(uploads, "upload_id")


class UploadRow(Row):
    """A file that a driver uploaded, and the name that the device gave it."""

    upload_id: str
    stop_id: int
    file_id: int


_uploads_by_name = select(uploads).where(
    uploads.c.driver_id == bindparam("driver"), in_param(uploads.c.upload_id, "ids")
)


async def get_uploads_by_name(work: UnitOfWork, driver_id: int, upload_ids: Collection[str]) -> dict[str, UploadRow]:
    """Return a driver's uploads by device name; names without an upload are absent."""
    if not upload_ids:
        return {}
    rows = await work.all(_uploads_by_name, UploadRow, driver=driver_id, ids=sorted(set(upload_ids)))
    return {row.upload_id: row for row in rows}


async def insert_upload(work: UnitOfWork, **values: Any) -> int:
    """Write an upload. Raises `UniqueConflict` when the driver used the name before."""
    return await work.insert(uploads, **values)
