"""Signature checks of pushes."""

import logging

from haulier.contexts.tracking.ingest.contract import SignedPush
from haulier.contexts.tracking.ingest.rules.carrier_pushes import (
    PUSH_SIGNATURE_WRONG,
    is_signed_by_aftership,
    is_signed_by_key_set,
    is_signed_by_secret,
    is_signed_by_shippo,
)
from haulier.contexts.tracking.ports import KeySetVerifier
from haulier.contexts.tracking.providers.contract import SignatureScheme
from haulier.contexts.tracking.providers.queries import get_signing_secret
from haulier.kernel.principal import ProviderGrant
from haulier.kernel.request_context import RequestContext
from haulier.kernel.secrets import SecretUnreadable

log = logging.getLogger("haulier.tracking")


async def require_push_signature(context: RequestContext, grant: ProviderGrant, request: SignedPush) -> None:
    """Raise `PUSH_SIGNATURE_WRONG` if a push lacks its provider's required signature."""
    if grant.signature_scheme is None:
        return
    try:
        secret = await get_signing_secret(context.app, context.principal)
    except SecretUnreadable as fault:
        log.warning("pushes of provider %s cannot be checked: %s", context.principal.token_id, fault)
        secret = None
    if secret is None or not _is_signed(context, grant.signature_scheme, secret, request):
        raise PUSH_SIGNATURE_WRONG()


def _is_signed(context: RequestContext, scheme: str, secret: str, request: SignedPush) -> bool:
    if scheme == SignatureScheme.EASYPOST:
        return is_signed_by_secret(secret, request.hmac_signature, request.document)
    if scheme == SignatureScheme.SHIPPO:
        return is_signed_by_shippo(secret, request.shippo_signature, request.document, context.app.clock())
    if scheme == SignatureScheme.AFTERSHIP:
        return is_signed_by_aftership(secret, request.aftership_signature, request.document)
    return is_signed_by_key_set(
        context.app.adapter(KeySetVerifier),
        secret,
        request.rsa_key_id,
        request.rsa_signature,
        request.signed_at,
        request.document,
        context.app.clock(),
    )
