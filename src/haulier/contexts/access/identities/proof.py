"""Asking an identity provider's token who somebody is."""

import logging

from haulier.contexts.access.apps.entrance import Context
from haulier.contexts.access.identities.rules import IDENTITY_REFUSED, IDENTITY_UNKNOWN_NOW
from haulier.contexts.access.ports import IdTokens, InvalidIdToken, Person
from haulier.kernel.house import House

log = logging.getLogger("haulier.identities")


async def prove_identity(house: House, context: Context, id_token: str, nonce: str | None) -> Person:
    """Who an ID token for the backend of this app is about.

    Raises `IDENTITY_REFUSED`, without telling why, or `IDENTITY_UNKNOWN_NOW` when the provider cannot be asked.
    """
    about = context.about
    try:
        return await house.adapter(IdTokens).person(
            id_token, issuer=about.idp_issuer, audience=about.server_client_id, now=house.clock(), nonce=nonce
        )
    except InvalidIdToken as error:
        log.info("an ID token was refused: %.200s", error)  # what it says is the caller's, and may be long
        raise IDENTITY_REFUSED() from None
    except OSError as error:
        log.warning("an identity provider did not answer: %s", error)
        raise IDENTITY_UNKNOWN_NOW() from None
