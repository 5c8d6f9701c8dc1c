"""The signing certificate: created on first use, replaced before expiry."""

import asyncio
from datetime import timedelta
from urllib.parse import urlsplit

from haulier.contexts.documents.ports import DocumentSigner, SigningIdentity, SigningKeys
from haulier.contexts.documents.signing import store
from haulier.contexts.documents.signing.store import CertificateRow
from haulier.kernel.application import Application

RENEWED_BEFORE = timedelta(days=180)
"""Remaining lifetime at which a certificate stops signing, so that its last signatures stay valid for a while."""


async def ensure_signing_identity(app: Application) -> SigningIdentity:
    """Return the signing certificate with its key, creating a new one if needed.

    Raises `SigningKeyMissing` if its key is not available on this node.
    """
    async with app.database.read(None) as work:
        row = await store.get_signing_certificate(work)
    if row is None or row.valid_until - app.clock() < RENEWED_BEFORE:
        return await rotate_signing_identity(app)
    key = app.adapter(SigningKeys).open(row.fingerprint, row.sealed_key)
    return SigningIdentity(
        fingerprint=row.fingerprint, certificate=row.certificate, key=key, valid_until=row.valid_until
    )


async def rotate_signing_identity(app: Application) -> SigningIdentity:
    """Replace the signing certificate.

    Former keys are deleted; signatures stay genuine.
    """
    now, keys = app.clock(), app.adapter(SigningKeys)
    name = f"Haulier documents of {urlsplit(app.base_url).hostname}"
    identity = await asyncio.to_thread(app.adapter(DocumentSigner).make_identity, name, now)
    async with app.database.write(None) as work:
        before = [row.fingerprint for row in await store.list_certificates(work) if row.retired_at is None]
        await CertificateRow.insert(
            work,
            fingerprint=identity.fingerprint,
            certificate=identity.certificate,
            sealed_key=keys.keep(identity.fingerprint, identity.key),
            valid_until=identity.valid_until,
            created_at=now,
        )
        await store.retire_certificates(work, identity.fingerprint, now)
    for fingerprint in before:
        keys.forget(fingerprint)
    return identity
