"""Opaque tokens: 256 random bits for the bearer, a SHA-256 digest for us."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.identity.accounts.store import tokens as store
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Scope
from haulier.kernel.values.ids import hash_token, make_opaque_token

SESSION_LIFETIME = timedelta(days=14)
"""How long a sign-in lasts."""

TOKEN_PREFIXES = {store.SESSION: "hlsession", store.API: "hlapi"}
"""What a token says about itself, so that scanners for leaked secrets know it."""


class IssuedAccessToken(Struct, frozen=True):
    """A token that was just made: the only time its text is known."""

    id: int
    token: str
    expires_at: datetime


async def issue_access_token(
    work: UnitOfWork,
    *,
    client_id: int,
    user_id: int,
    now: datetime,
    kind: str = store.SESSION,
    lifetime: timedelta = SESSION_LIFETIME,
    scopes: Iterable[Scope] | None = None,
    name: str | None = None,
    issued_by: int | None = None,
    prefix: str | None = None,
) -> IssuedAccessToken:
    """Make a token and keep its digest. Without `scopes` it may do whatever the user's account may.

    `prefix` is what it says about itself instead of its kind's word.
    """
    token = make_opaque_token(prefix or TOKEN_PREFIXES[kind])
    id = await store.insert_token(
        work.without_tenant_filter("a token is issued before its bearer has come in"),
        client_id=client_id,
        user_id=user_id,
        token_sha256=hash_token(token),
        kind=kind,
        name=name,
        scopes=None if scopes is None else sorted(scopes),
        issued_by=issued_by,
        created_at=now,
        expires_at=now + lifetime,
    )
    return IssuedAccessToken(id, token, now + lifetime)
