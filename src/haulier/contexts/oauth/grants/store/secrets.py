"""Grants as the secrets of agents show them: codes, refresh tokens, access tokens."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, update

from haulier.contexts.identity.accounts.store.tables import members, tokens, users
from haulier.contexts.oauth.grants.store.tables import agents, grants, refresh_tokens
from haulier.kernel.data.unit_of_work import UnitOfWork

_TENANCY_REASON = "an agent shows a secret before anybody has come in"
_holder = (
    *(column for column in grants.c),
    agents.c.key.label("agent_key"),
    agents.c.fetched_at.label("published_at"),
    users.c.account,
    users.c.active,
    members.c.scopes.label("granted"),
)
_whole = (
    select(*_holder)
    .join_from(grants, agents, agents.c.id == grants.c.agent_id)
    .join(users, users.c.id == grants.c.user_id)
    .outerjoin(members, members.c.user_id == grants.c.user_id)
)
_by_code = _whole.where(grants.c.code_sha256 == bindparam("digest"))
_by_refresh = (
    _whole.join(refresh_tokens, refresh_tokens.c.grant_id == grants.c.id)
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
    _whole.join(refresh_tokens, refresh_tokens.c.grant_id == grants.c.id)
    .join(tokens, tokens.c.id == refresh_tokens.c.access_token_id)
    .where(tokens.c.token_sha256 == bindparam("digest"))
)
_use = (
    update(refresh_tokens)
    .where(refresh_tokens.c.id == bindparam("refresh"), refresh_tokens.c.used_at.is_(None))
    .values(used_at=bindparam("at"))
)
_shorten = (
    update(tokens)
    .where(tokens.c.id == bindparam("token"), tokens.c.expires_at > bindparam("until"))
    .values(expires_at=bindparam("until"))
)
_go_on = update(grants).where(grants.c.id == bindparam("grant"), grants.c.ended_at.is_(None))
_refreshed = _go_on.values(refreshed_at=bindparam("at"), idle_until=bindparam("until"))


async def get_grant_by_code(work: UnitOfWork, digest: bytes) -> Any:
    """The grant, of whatever client, that a code is for, with its agent and its owner; None for an unknown one."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(_by_code, digest=digest)


async def get_grant_by_refresh_token(work: UnitOfWork, digest: bytes) -> Any:
    """The grant, of whatever client, that a refresh token is for, and what became of the token; None for an unknown one."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(_by_refresh, digest=digest)


async def get_grant_by_access_token(work: UnitOfWork, digest: bytes) -> Any:
    """The grant, of whatever client, that an access token is for; None for a token that no agent has."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(_by_access, digest=digest)


async def insert_refresh_token(work: UnitOfWork, **values: Any) -> None:
    """Write a refresh token and the access token that goes with it."""
    await work.without_tenant_filter(_TENANCY_REASON).insert(refresh_tokens, **values)


async def use_refresh_token(
    work: UnitOfWork, grant: Any, *, at: datetime, until: datetime, access_until: datetime
) -> bool:
    """Use a refresh token up; its access token ends soon. False when somebody else was quicker."""
    wide = work.without_tenant_filter(_TENANCY_REASON)
    if not await wide.run(_use, refresh=grant.refresh_id, at=at):
        return False
    await wide.run(_shorten, token=grant.access_token_id, until=access_until)
    return bool(await wide.run(_refreshed, grant=grant.id, at=at, until=until))
