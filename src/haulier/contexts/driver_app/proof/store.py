"""Which file a device's own name stands for, so that a photo can be named at the door before it is uploaded."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Column, String, UniqueConstraint, bindparam, select

from haulier.contexts.driver_app.fields import UPLOAD_NAME_MAX
from haulier.kernel.data.statements import in_param
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
_some = select(uploads).where(uploads.c.driver_id == bindparam("driver"), in_param(uploads.c.upload_id, "ids"))


async def get_uploads_by_name(work: UnitOfWork, driver_id: int, upload_ids: Collection[str]) -> dict[str, Any]:
    """A driver's uploads by their own names."""
    if not upload_ids:
        return {}
    return {row.upload_id: row for row in await work.all(_some, driver=driver_id, ids=sorted(set(upload_ids)))}


async def insert_upload(work: UnitOfWork, **values: Any) -> int:
    """Write an upload. Raises `Conflict` when its driver used the name before."""
    return await work.insert(uploads, **values)
