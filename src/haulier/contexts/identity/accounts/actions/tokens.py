"""Opaque tokens: 256 random bits for the bearer; the database keeps a SHA-256 digest."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.identity.accounts.rules.tokens import TokenKind
from haulier.contexts.identity.accounts.store import tokens as store
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Scope
from haulier.kernel.values.ids import hash_token, make_opaque_token

SESSION_LIFETIME = timedelta(days=14)
"""How long a sign-in lasts."""

TOKEN_PREFIXES = {TokenKind.SESSION: "hlsession", TokenKind.API: "hlapi"}
"""The beginning of a token's text, by which scanners for leaked secrets know it."""


class IssuedAccessToken(Struct, frozen=True):
    """A new token. Its text is known only now."""

    id: int
    token: str
    expires_at: datetime


async def issue_access_token(
    work: UnitOfWork,
    *,
    client_id: int,
    user_id: int,
    now: datetime,
    kind: TokenKind = TokenKind.SESSION,
    lifetime: timedelta = SESSION_LIFETIME,
    scopes: Iterable[Scope] | None = None,
    name: str | None = None,
    issued_by: int | None = None,
    prefix: str | None = None,
) -> IssuedAccessToken:
    """Make a token and keep its digest. Without `scopes` it may do whatever the user's account may.

    `prefix` replaces the beginning that its kind gives it.
    """
    token = make_opaque_token(prefix or TOKEN_PREFIXES[kind])
    token_id = await store.insert_token(
        work.without_tenant_filter("a token is issued before its bearer has signed in"),
        client_id=client_id,
        user_id=user_id,
        token_sha256=hash_token(token),
        kind=kind.value,
        name=name,
        scopes=None if scopes is None else sorted(scopes),
        issued_by=issued_by,
        created_at=now,
        expires_at=now + lifetime,
    )
    return IssuedAccessToken(token_id, token, now + lifetime)


async def end_token(work: UnitOfWork, token_id: int, at: datetime) -> int:
    """Revoke a token of the client. Returns 0 when it was revoked before, else 1."""
    return await store.revoke_token(work, token_id, at)


async def sign_out_user(work: UnitOfWork, user_id: int, at: datetime, *, keep: int | None = None) -> int:
    """Revoke every session of a user, except the one with the token id `keep`. Returns how many."""
    return await store.revoke_user_sessions(work, user_id, at, keep=keep)
