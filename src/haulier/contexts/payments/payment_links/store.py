"""Tables and statements of payment links of all clients."""

from datetime import datetime
from typing import Annotated

from sqlalchemy import Column, Index, LargeBinary, String, bindparam, delete, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.tables import UTCDateTime, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork

BY_LINK = "holders of a link have no account"


class PaymentLinkRow(
    Record,
    table="payment_link",
    items=[Index("ix_payment_link_expires", "client_id", "expires_at")],
    kind=directory_table,
    why="holders of the link have no account; only the link names the business",
):
    """A link."""

    client_id: int
    purpose: Annotated[str, String(20)]
    subject_id: Reference
    token_sha256: Annotated[bytes, Column("token_sha256", LargeBinary(32), nullable=False, unique=True)]
    expires_at: datetime


links = PaymentLinkRow.table
plain_columns(links, "purpose", "token_sha256")
_by_token = select(links).where(links.c.token_sha256 == bindparam("digest"))
_over = delete(links).where(links.c.expires_at <= bindparam("now", type_=UTCDateTime()))


async def delete_expired_links(work: UnitOfWork, now: datetime) -> None:
    """Delete expired links of this client."""
    await work.run(_over, now=now)


async def find_payment_link(work: UnitOfWork, digest: bytes) -> PaymentLinkRow | None:
    """Return a link by digest, of any client, or None."""
    return await work.without_tenant_filter(BY_LINK).first(_by_token, PaymentLinkRow, digest=digest)
