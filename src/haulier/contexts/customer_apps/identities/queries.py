"""Verified identities, and the users they belong to."""

import logging

from haulier.contexts.customer_apps.apps.queries import ClientApp
from haulier.contexts.customer_apps.identities import store
from haulier.contexts.customer_apps.identities.rules import IDENTITY_PROVIDER_UNAVAILABLE, IDENTITY_REFUSED
from haulier.contexts.customer_apps.identities.store import BindingCandidateRow
from haulier.contexts.customer_apps.identities.store import IdentityUserRow as IdentityUserRow
from haulier.contexts.customer_apps.ports import IdTokenClaims, IdTokenVerifier, InvalidIdToken
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork

log = logging.getLogger("haulier.identities")


async def verify_identity(app: Application, context: ClientApp, id_token: str, nonce: str | None) -> IdTokenClaims:
    """The person in an ID token for the backend of an app.

    Raises `IDENTITY_REFUSED`, without the reason, or `IDENTITY_PROVIDER_UNAVAILABLE` when the provider does not answer.
    """
    about = context.about
    try:
        return await app.adapter(IdTokenVerifier).person(
            id_token, issuer=about.idp_issuer or "", audience=about.server_client_id or "", now=app.clock(), nonce=nonce
        )
    except InvalidIdToken as error:
        log.info("an ID token was refused: %.200s", error)  # the text comes from the caller, and may be long
        raise IDENTITY_REFUSED() from None
    except OSError as error:
        log.warning("an identity provider did not answer: %s", error)
        raise IDENTITY_PROVIDER_UNAVAILABLE() from None


async def find_identity_user(work: UnitOfWork, issuer: str, subject: str) -> IdentityUserRow | None:
    """The user of any client to whom an identity is bound, or None."""
    return await store.get_user_by_identity(work, issuer, subject)


async def find_binding_candidate(work: UnitOfWork, email: str, issuer: str) -> BindingCandidateRow | None:
    """The user of any client with an e-mail address, or None."""
    return await store.get_binding_candidate(work, email, issuer)


async def find_phone_user_id(work: UnitOfWork, client_id: int, phone: str) -> int | None:
    """The id of the user of a client who registered with a phone, or None."""
    return await store.get_user_id_by_phone(work, client_id, phone)
