"""Certificates of the installation. All are stored for verification; one signs."""

from datetime import datetime
from typing import Annotated

from sqlalchemy import Column, String, Text, bindparam, select, update

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record
from haulier.kernel.data.tables import shared_table
from haulier.kernel.data.unit_of_work import UnitOfWork


class CertificateRow(Record, table="signing_certificate", kind=shared_table):
    """A certificate.

    `sealed_key` is the encrypted key, where the installation has a vault; otherwise the key is a file.
    """

    fingerprint: Annotated[str, Column("fingerprint", String(64), nullable=False, unique=True)]
    certificate: Annotated[str, Text]
    sealed_key: Annotated[str, Text] | None
    valid_until: datetime
    created_at: datetime
    retired_at: datetime | None


certificates = CertificateRow.table
plain_columns(certificates, "fingerprint", "certificate", "sealed_key")


_signing = select(certificates).where(certificates.c.retired_at.is_(None)).order_by(certificates.c.id).limit(1)
_all = select(certificates).order_by(certificates.c.id.desc())
_retire = (
    update(certificates)
    .where(certificates.c.retired_at.is_(None), certificates.c.fingerprint != bindparam("except_for"))
    .values(retired_at=bindparam("at"), sealed_key=None)
)


async def get_signing_certificate(work: UnitOfWork) -> CertificateRow | None:
    """Return the signing certificate: the oldest active one, equal in all processes."""
    return await work.first(_signing, CertificateRow)


async def list_certificates(work: UnitOfWork) -> list[CertificateRow]:
    """Return all certificates, newest first."""
    return await work.all(_all, CertificateRow)


async def retire_certificates(work: UnitOfWork, except_for: str, at: datetime) -> None:
    """Retire all other certificates, and delete their keys."""
    await work.run(_retire, except_for=except_for, at=at)
