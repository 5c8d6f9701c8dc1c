"""The certificates of the installation. All stay for ever, so that what they signed can be checked; one signs."""

from datetime import datetime

from sqlalchemy import Column, String, Text, bindparam, select, update

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import UTCDateTime, shared_table
from haulier.kernel.data.unit_of_work import UnitOfWork

certificates = shared_table(
    "signing_certificate",
    Column("fingerprint", String(64), nullable=False, unique=True),
    Column("certificate", Text, nullable=False),
    Column("sealed_key", Text),
    Column("valid_until", UTCDateTime, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("retired_at", UTCDateTime),
)
"""`sealed_key` is the encrypted key, where the installation has a vault; otherwise the key is a file."""
plain_columns(certificates, "fingerprint", "certificate", "sealed_key")


class CertificateRow(Row):
    """A certificate."""

    id: int
    fingerprint: str
    certificate: str
    sealed_key: str | None
    valid_until: datetime
    created_at: datetime
    retired_at: datetime | None


_signing = select(certificates).where(certificates.c.retired_at.is_(None)).order_by(certificates.c.id).limit(1)
_all = select(certificates).order_by(certificates.c.id.desc())
_retire = (
    update(certificates)
    .where(certificates.c.retired_at.is_(None), certificates.c.fingerprint != bindparam("except_for"))
    .values(retired_at=bindparam("at"), sealed_key=None)
)


async def get_signing_certificate(work: UnitOfWork) -> CertificateRow | None:
    """The certificate that signs now: the oldest that is not retired, so that all processes agree."""
    return await work.first(_signing, CertificateRow)


async def list_certificates(work: UnitOfWork) -> list[CertificateRow]:
    """All certificates, newest first."""
    return await work.all(_all, CertificateRow)


async def insert_certificate(
    work: UnitOfWork,
    *,
    fingerprint: str,
    certificate: str,
    sealed_key: str | None,
    valid_until: datetime,
    created_at: datetime,
) -> None:
    """Write a certificate that may sign."""
    await work.insert(
        certificates,
        fingerprint=fingerprint,
        certificate=certificate,
        sealed_key=sealed_key,
        valid_until=valid_until,
        created_at=created_at,
    )


async def retire_certificates(work: UnitOfWork, except_for: str, at: datetime) -> None:
    """Let all other certificates sign no more, and delete their keys."""
    await work.run(_retire, except_for=except_for, at=at)
