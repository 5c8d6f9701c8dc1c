"""Opaque tokens: 256 random bits for the bearer; the database keeps a SHA-256 digest."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.identity.accounts.rules.tokens import TokenKind, TokenState, token_state
from haulier.contexts.identity.accounts.rules.users import SESSION_REQUIRED
from haulier.contexts.identity.accounts.store import tokens as store
from haulier.contexts.identity.accounts.store.tokens import TokenRow
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.errors import INVALID_TOKEN
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
    parent: TokenRow | None = None,
) -> IssuedAccessToken:
    """Make a token and keep its digest. Without `scopes` it may do whatever the user's account may.

    It ends no later than `parent`, the token that issues it, and with it. `prefix` replaces the beginning that its kind
    gives it.
    """
    expires_at = min(now + lifetime, parent.expires_at) if parent else now + lifetime
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
        parent_id=parent and parent.id,
        created_at=now,
        expires_at=expires_at,
    )
    return IssuedAccessToken(token_id, token, expires_at)


async def lock_parent_token(work: UnitOfWork, token_id: int | None, now: datetime) -> TokenRow | None:
    """The API token with which something is issued; None for a person who signed in, and for no token.

    It stays locked, so that nothing is issued while it is being revoked. Raises `INVALID_TOKEN` for one that has ended.
    """
    token = await store.get_token(work, token_id, lock=True) if token_id else None
    if token is None or token.kind != TokenKind.API:
        return None
    if token_state(token.revoked_at, token.expires_at, now) is not TokenState.ACTIVE:
        raise INVALID_TOKEN()
    return token


async def require_session(work: UnitOfWork, token_id: int | None, now: datetime) -> None:
    """Check that a token is a sign-in of a person, not the key of a program. Raises `SESSION_REQUIRED`."""
    if await lock_parent_token(work, token_id, now):
        raise SESSION_REQUIRED()


async def end_token(work: UnitOfWork, token_id: int, at: datetime) -> int:
    """Revoke a token of the client, and all that it issued. Returns 0 when it was revoked before, else 1."""
    return await store.revoke_tokens(work, [token_id], at)


async def end_tokens(work: UnitOfWork, token_ids: Collection[int], at: datetime) -> int:
    """Revoke tokens, and all that they issued. Returns how many of the tokens themselves were not revoked before."""
    return await store.revoke_tokens(work, token_ids, at)


async def shorten_token(work: UnitOfWork, token_id: int, until: datetime) -> None:
    """End a token, and all that it issued, no later than at a time."""
    await store.shorten_tokens(work, [token_id], until)


async def sign_out_user(work: UnitOfWork, user_id: int, at: datetime, *, keep: int | None = None) -> int:
    """Revoke every session of a user, except the one with the token id `keep`. Returns how many."""
    return await store.revoke_user_sessions(work, user_id, at, keep=keep)
