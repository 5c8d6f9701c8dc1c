"""Opaque tokens: 256 random bits for the bearer, a SHA-256 digest for us."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.access.accounts.store import tokens as store
from haulier.kernel.data.work import Work
from haulier.kernel.declarations import Scope
from haulier.kernel.ids import opaque_token, token_digest

SESSION_LIFETIME = timedelta(days=14)
"""How long a sign-in lasts."""

PREFIX = {store.SESSION: "hlsession", store.API: "hlapi"}
"""What a token says about itself, so that scanners for leaked secrets know it."""


class Issued(Struct, frozen=True):
    """A token that was just made: the only time its text is known."""

    id: int
    token: str
    expires_at: datetime


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
    prefix: str | None = None,
) -> Issued:
    """Make a token and keep its digest. Without `scopes` it may do whatever the user's account may.

    `prefix` is what it says about itself instead of its kind's word.
    """
    token = opaque_token(prefix or PREFIX[kind])
    id = await store.add(
        work.unwalled("a token is issued before its bearer has come in"),
        client_id=client_id,
        user_id=user_id,
        token_sha256=token_digest(token),
        kind=kind,
        name=name,
        scopes=None if scopes is None else sorted(scopes),
        issued_by=issued_by,
        created_at=now,
        expires_at=now + lifetime,
    )
    return Issued(id, token, now + lifetime)
