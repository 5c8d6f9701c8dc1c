"""Table of recipients' accesses. Only the digest of a token is stored."""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Column, LargeBinary, bindparam, delete, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.tables import UTCDateTime, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork

_TENANCY_REASON = "a recipient's token names the delivery and business that it opens"


class DeliveryAccessRow(
    Record,
    table="recipient_access",
    kind=directory_table,
    why="the token names the delivery and business that it opens",
):
    """Access that a token grants."""

    client_id: int
    order_id: Reference
    token_sha256: Annotated[bytes, Column("token_sha256", LargeBinary(32), nullable=False, unique=True)]
    created_at: datetime
    expires_at: Annotated[datetime, Column("expires_at", UTCDateTime, nullable=False, index=True)]


accesses = DeliveryAccessRow.table

plain_columns(accesses, "token_sha256")


_by_token = select(accesses).where(accesses.c.token_sha256 == bindparam("digest"))
_over = delete(accesses).where(accesses.c.expires_at < bindparam("before"))


async def insert_delivery_access(work: UnitOfWork, client_id: int, **values: Any) -> None:
    """Insert an access to a delivery of a business."""
    await work.without_tenant_filter(_TENANCY_REASON).insert(accesses, client_id=client_id, **values)


async def get_delivery_access(work: UnitOfWork, digest: bytes) -> DeliveryAccessRow | None:
    """Return the access of a token at any business, or None."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(_by_token, DeliveryAccessRow, digest=digest)


async def delete_accesses_before(work: UnitOfWork, before: datetime) -> int:
    """Delete accesses of all businesses that ended before a time. Return the number."""
    return await work.without_tenant_filter(_TENANCY_REASON).run(_over, before=before)
