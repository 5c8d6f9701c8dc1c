"""The certificate that signs: made when the first document is signed, and replaced by an operator or before it expires."""

import asyncio
from datetime import timedelta
from urllib.parse import urlsplit

from haulier.contexts.documents.ports import DocumentSigner, SigningIdentity, SigningKeys
from haulier.contexts.documents.signing import store
from haulier.contexts.documents.signing.store import CertificateRow
from haulier.kernel.application import Application

RENEWED_BEFORE = timedelta(days=180)
"""A certificate signs no more when it ends so soon: what it signed last can still be opened without a warning for a while."""


async def ensure_signing_identity(app: Application) -> SigningIdentity:
    """The certificate that signs now, with its key; a new one where there is none or it ends soon.

    Raises `SigningKeyMissing` when its key cannot be had on this node.
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
    """Sign with a new certificate from now on. The keys of the others are deleted; what they signed stays genuine."""
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
