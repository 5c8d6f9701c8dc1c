"""Asking an identity provider's token who somebody is."""

import logging

from haulier.contexts.customer_apps.apps.queries import ClientApp
from haulier.contexts.customer_apps.identities.rules import IDENTITY_PROVIDER_UNAVAILABLE, IDENTITY_REFUSED
from haulier.contexts.customer_apps.ports import IdTokenClaims, IdTokenVerifier, InvalidIdToken
from haulier.kernel.application import Application

log = logging.getLogger("haulier.identities")


async def verify_identity(app: Application, context: ClientApp, id_token: str, nonce: str | None) -> IdTokenClaims:
    """Who an ID token for the backend of this app is about.

    Raises `IDENTITY_REFUSED`, without telling why, or `IDENTITY_UNKNOWN_NOW` when the provider cannot be asked.
    """
    about = context.about
    try:
        return await app.adapter(IdTokenVerifier).person(
            id_token, issuer=about.idp_issuer, audience=about.server_client_id, now=app.clock(), nonce=nonce
        )
    except InvalidIdToken as error:
        log.info("an ID token was refused: %.200s", error)  # what it says is the caller's, and may be long
        raise IDENTITY_REFUSED() from None
    except OSError as error:
        log.warning("an identity provider did not answer: %s", error)
        raise IDENTITY_PROVIDER_UNAVAILABLE() from None
