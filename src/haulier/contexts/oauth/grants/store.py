"""Grants found by the secrets of agents: codes, refresh tokens, access tokens."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, update

from haulier.contexts.identity.accounts.store.tables import members, tokens, users
from haulier.contexts.oauth.grants.store.tables import agents, grants, refresh_tokens
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork

_TENANCY_REASON = "an agent sends a secret before anybody has signed in"


class AgentGrantRow(Row):
    """A grant with its agent and its owner. `granted` holds the scopes that an admin left to the owner.

    `parent_revoked_at` and `parent_expires_at` are those of the API token with which the consent was given.
    """

    id: int
    client_id: int
    user_id: int
    agent_id: int
    name: str
    server: str
    scopes: list[str]
    redirect_uri: str | None
    code_challenge: str
    code_expires_at: datetime
    began_at: datetime | None
    expires_at: datetime
    ended_at: datetime | None
    agent_key: str
    published_at: datetime | None
    account: str
    active: bool
    granted: list[str] | None
    parent_token_id: int | None
    parent_revoked_at: datetime | None
    parent_expires_at: datetime | None


class RefreshGrantRow(AgentGrantRow):
    """A grant found by a refresh token, with the state of the token."""

    refresh_id: int
    used_at: datetime | None
    refresh_expires_at: datetime
    access_token_id: int
    access_revoked_at: datetime | None


_parents = tokens.alias("parent_token")
_columns = (
    *(column for column in grants.c),
    agents.c.key.label("agent_key"),
    agents.c.fetched_at.label("published_at"),
    users.c.account,
    users.c.active,
    members.c.scopes.label("granted"),
    _parents.c.revoked_at.label("parent_revoked_at"),
    _parents.c.expires_at.label("parent_expires_at"),
)
_grant = (
    select(*_columns)
    .join_from(grants, agents, agents.c.id == grants.c.agent_id)
    .join(users, users.c.id == grants.c.user_id)
    .outerjoin(members, members.c.user_id == grants.c.user_id)
    .outerjoin(_parents, _parents.c.id == grants.c.parent_token_id)
)
_by_code = _grant.where(grants.c.code_sha256 == bindparam("digest"))
_by_refresh = (
    _grant.join(refresh_tokens, refresh_tokens.c.grant_id == grants.c.id)
    .outerjoin(tokens, tokens.c.id == refresh_tokens.c.access_token_id)
    .add_columns(
        refresh_tokens.c.id.label("refresh_id"),
        refresh_tokens.c.used_at,
        refresh_tokens.c.expires_at.label("refresh_expires_at"),
        refresh_tokens.c.access_token_id,
        tokens.c.revoked_at.label("access_revoked_at"),
    )
    .where(refresh_tokens.c.token_sha256 == bindparam("digest"))
)
_by_access = (
    _grant.join(refresh_tokens, refresh_tokens.c.grant_id == grants.c.id)
    .join(tokens, tokens.c.id == refresh_tokens.c.access_token_id)
    .where(tokens.c.token_sha256 == bindparam("digest"))
)
_use = (
    update(refresh_tokens)
    .where(refresh_tokens.c.id == bindparam("refresh"), refresh_tokens.c.used_at.is_(None))
    .values(used_at=bindparam("at"))
)
_unended = update(grants).where(grants.c.id == bindparam("grant"), grants.c.ended_at.is_(None))
_refreshed = _unended.values(refreshed_at=bindparam("at"), idle_until=bindparam("until"))


async def get_grant_by_code(work: UnitOfWork, digest: bytes) -> AgentGrantRow | None:
    """The grant of any client that a code is for, with its agent and its owner; None for an unknown code."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(_by_code, AgentGrantRow, digest=digest)


async def get_grant_by_refresh_token(work: UnitOfWork, digest: bytes) -> RefreshGrantRow | None:
    """The grant of any client that a refresh token is for, with the state of the token; None for an unknown token."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(_by_refresh, RefreshGrantRow, digest=digest)


async def get_grant_by_access_token(work: UnitOfWork, digest: bytes) -> AgentGrantRow | None:
    """The grant of any client that an access token is for; None for a token that no agent has."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(_by_access, AgentGrantRow, digest=digest)


async def insert_refresh_token(work: UnitOfWork, **values: Any) -> None:
    """Write a refresh token and the access token that goes with it."""
    await work.without_tenant_filter(_TENANCY_REASON).insert(refresh_tokens, **values)


async def use_refresh_token(work: UnitOfWork, grant: RefreshGrantRow, *, at: datetime, until: datetime) -> bool:
    """Use a refresh token up. False when it was used before."""
    wide = work.without_tenant_filter(_TENANCY_REASON)
    if not await wide.run(_use, refresh=grant.refresh_id, at=at):
        return False
    return bool(await wide.run(_refreshed, grant=grant.id, at=at, until=until))
