"""Tokens: written, looked up by their digest, and revoked."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, update

from haulier.contexts.identity.accounts.rules.tokens import TokenKind
from haulier.contexts.identity.accounts.store.tables import clients, members, tokens, users
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class TokenRow(Row):
    """A token and the account of its bearer."""

    id: int
    user_id: int
    kind: str
    name: str | None
    scopes: list[str] | None
    parent_id: int | None
    expires_at: datetime
    revoked_at: datetime | None
    account: str


class TokenBearerRow(Row):
    """A token, its bearer and the bearer's client. `granted` holds the scopes that an admin left to the bearer."""

    token_id: int
    scopes: list[str] | None
    expires_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None
    user_id: int
    user_name: str
    account: str
    active: bool
    hidden_prices: list[str]
    granted: list[str] | None
    business_id: int
    code: str
    time_zone: str
    currency: str
    modules: list[str]
    features: list[str]
    settings: dict[str, Any]


_bearer = (
    select(
        tokens.c.id.label("token_id"),
        tokens.c.scopes,
        tokens.c.expires_at,
        tokens.c.revoked_at,
        tokens.c.last_used_at,
        users.c.id.label("user_id"),
        users.c.name.label("user_name"),
        users.c.account,
        users.c.active,
        users.c.hidden_prices,
        members.c.scopes.label("granted"),
        clients.c.id.label("business_id"),
        clients.c.code,
        clients.c.time_zone,
        clients.c.currency,
        clients.c.modules,
        clients.c.features,
        clients.c.settings,
    )
    .join(users, users.c.id == tokens.c.user_id)
    .join(clients, clients.c.id == users.c.client_id)
    .outerjoin(members, members.c.user_id == users.c.id)
    .where(tokens.c.token_sha256 == bindparam("digest"))
)
_one = (
    select(tokens, users.c.account).join(users, users.c.id == tokens.c.user_id).where(tokens.c.id == bindparam("token"))
)
_one_locked = _one.with_for_update(of=tokens)
_revoke = update(tokens).where(tokens.c.revoked_at.is_(None)).values(revoked_at=bindparam("at"))
_revoke_many = _revoke.where(in_param(tokens.c.id, "ids"))
_revoke_sessions = _revoke.where(
    tokens.c.user_id == bindparam("owner"), tokens.c.kind == TokenKind.SESSION.value, tokens.c.id != bindparam("kept")
)
_shorten_many = (
    update(tokens)
    .where(in_param(tokens.c.id, "ids"), tokens.c.expires_at > bindparam("until"))
    .values(expires_at=bindparam("until"))
)
_unrevoked_of_user = select(tokens.c.id).where(tokens.c.user_id == bindparam("owner"), tokens.c.revoked_at.is_(None))
_unrevoked_children = select(tokens.c.id).where(in_param(tokens.c.parent_id, "ids"), tokens.c.revoked_at.is_(None))
_longer_children = _unrevoked_children.where(tokens.c.expires_at > bindparam("until"))
_touch = update(tokens).where(in_param(tokens.c.id, "ids")).values(last_used_at=bindparam("at"))


async def get_token_bearer(work: UnitOfWork, digest: bytes) -> TokenBearerRow | None:
    """A token with its bearer and their client, in one statement; None for an unknown token."""
    return await work.without_tenant_filter("the token says who calls").first(_bearer, TokenBearerRow, digest=digest)


async def insert_token(work: UnitOfWork, **values: Any) -> int:
    """Write a token. Returns its id."""
    return await work.insert(tokens, **values)


async def get_token(work: UnitOfWork, token_id: int, *, lock: bool = False) -> TokenRow | None:
    """A token of this client and the account of its bearer, or None."""
    return await work.first(_one_locked if lock else _one, TokenRow, token=token_id)


async def revoke_tokens(work: UnitOfWork, token_ids: Collection[int], at: datetime) -> int:
    """Revoke tokens, and all that they issued. Returns how many of the tokens themselves were not revoked before."""
    revoked = await work.run(_revoke_many, ids=token_ids, at=at)
    while children := [row.id for row in await work.all(_unrevoked_children, ids=token_ids)]:
        await work.run(_revoke_many, ids=children, at=at)
        token_ids = children
    return revoked


async def shorten_tokens(work: UnitOfWork, token_ids: Collection[int], until: datetime) -> None:
    """End tokens, and all that they issued, no later than at a time."""
    while token_ids:
        await work.run(_shorten_many, ids=token_ids, until=until)
        token_ids = [row.id for row in await work.all(_longer_children, ids=token_ids, until=until)]


async def revoke_user_sessions(work: UnitOfWork, user_id: int, at: datetime, *, keep: int | None = None) -> int:
    """Revoke every session of a user, except one. Returns how many."""
    return await work.run(_revoke_sessions, owner=user_id, kept=keep or 0, at=at)


async def revoke_user_tokens(work: UnitOfWork, user_id: int, at: datetime) -> int:
    """Revoke every session and API token of a user, and all that those issued. Returns how many the user had."""
    return await revoke_tokens(work, [row.id for row in await work.all(_unrevoked_of_user, owner=user_id)], at)


async def set_tokens_last_used(work: UnitOfWork, token_ids: Sequence[int], at: datetime) -> None:
    """Set when tokens of any client were last used."""
    await work.without_tenant_filter("tokens of every client are written at once").run(_touch, ids=token_ids, at=at)
