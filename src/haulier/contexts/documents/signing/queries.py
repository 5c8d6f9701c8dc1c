"""Signing certificates for verification."""

from haulier.contexts.documents.signing import store
from haulier.contexts.documents.signing.store import CertificateRow
from haulier.kernel.data.unit_of_work import UnitOfWork

__all__ = ["CertificateRow", "list_certificates"]


async def list_certificates(work: UnitOfWork) -> list[CertificateRow]:
    """Return all certificates, newest first; the keys of retired ones are deleted."""
    return await store.list_certificates(work)
