"""Opaque tokens: 256 random bits for the bearer, a SHA-256 digest for us."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.access.accounts.store import tokens as store
from haulier.kernel.data.work import Work
from haulier.kernel.declarations import Scope

SESSION_LIFETIME = timedelta(days=14)
"""How long a sign-in lasts."""

TOKEN_LIFETIME_DAYS = 365
TOKEN_LIFETIME_MAX_DAYS = 730


class Issued(Struct, frozen=True):
    """A token that was just made: the only time its text is known."""

    id: int
    token: str
    expires_at: datetime


def digest(token: str) -> bytes:
    """What is kept of a token. It has 256 random bits, so a fast hash without salt cannot be guessed back."""
    return hashlib.sha256(token.encode()).digest()


async def issue(
    work: Work,
    *,
    client_id: int,
    user_id: int,
    now: datetime,
    kind: str = store.SESSION,
    lifetime: timedelta = SESSION_LIFETIME,
    scopes: Iterable[Scope] | None = None,
    name: str | None = None,
    issued_by: int | None = None,
) -> Issued:
    """Make a token and keep its digest. Without `scopes` it may do whatever the user's account may."""
    token = secrets.token_urlsafe(32)
    id = await store.add(
        work.unwalled("a token is issued before its bearer has come in"),
        client_id=client_id,
        user_id=user_id,
        token_sha256=digest(token),
        kind=kind,
        name=name,
        scopes=None if scopes is None else sorted(scopes),
        issued_by=issued_by,
        created_at=now,
        expires_at=now + lifetime,
    )
    return Issued(id, token, now + lifetime)
