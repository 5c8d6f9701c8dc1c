"""Grants: written at the consent, started with the code, ended by either side."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, exists, func, select, update

from haulier.contexts.identity.accounts.store.tables import tokens
from haulier.contexts.oauth.grants.store.secrets import AgentGrantRow
from haulier.contexts.oauth.grants.store.tables import grants, refresh_tokens
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork

_TENANCY_REASON = "an agent sends a secret before anybody has signed in"


class GrantRow(Row):
    """A grant."""

    id: int
    user_id: int
    name: str
    server: str
    scopes: list[str]
    began_at: datetime
    refreshed_at: datetime
    idle_until: datetime


_begin = (
    update(grants)
    .where(grants.c.id == bindparam("grant"), grants.c.began_at.is_(None), grants.c.ended_at.is_(None))
    .values(began_at=bindparam("at"), refreshed_at=bindparam("at"), idle_until=bindparam("until"))
)
_unended = update(grants).where(grants.c.id == bindparam("grant"), grants.c.ended_at.is_(None))
_end = _unended.values(ended_at=bindparam("at"), end_reason=bindparam("why"))
_access_of = select(refresh_tokens.c.access_token_id).where(refresh_tokens.c.grant_id == bindparam("grant"))
_now = bindparam("now", type_=grants.c.idle_until.type)
_parent_works = exists().where(
    tokens.c.id == grants.c.parent_token_id, tokens.c.revoked_at.is_(None), tokens.c.expires_at > _now
)
_duplicates = select(grants.c.id).where(
    grants.c.user_id == bindparam("owner"),
    grants.c.agent_id == bindparam("agent"),
    grants.c.server == bindparam("at_server"),
    grants.c.id != bindparam("kept"),
    grants.c.began_at.is_not(None),
    grants.c.ended_at.is_(None),
)
_unstarted = delete(grants).where(
    grants.c.user_id == bindparam("owner"), grants.c.began_at.is_(None), grants.c.code_expires_at < bindparam("before")
)
_live = (
    grants.c.user_id == bindparam("owner"),
    grants.c.began_at.is_not(None),
    grants.c.ended_at.is_(None),
    grants.c.idle_until > _now,
    grants.c.parent_token_id.is_(None) | _parent_works,
)
_list = (
    select(grants).where(*_live).order_by(grants.c.id.desc()).limit(bindparam("page_size")).offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(grants).where(*_live)
_one = select(grants).where(grants.c.id == bindparam("grant"), grants.c.began_at.is_not(None))


async def insert_grant(work: UnitOfWork, **values: Any) -> int:
    """Write a grant of a user of this client to an agent. Returns its id."""
    return await work.insert(grants, **values)


async def delete_unstarted_grants(work: UnitOfWork, user_id: int, *, before: datetime) -> None:
    """Delete grants of a user whose code was never exchanged."""
    await work.run(_unstarted, owner=user_id, before=before)


async def start_grant(work: UnitOfWork, grant_id: int, *, at: datetime, until: datetime) -> bool:
    """Start a grant. False when it was started before or has ended."""
    return bool(await work.without_tenant_filter(_TENANCY_REASON).run(_begin, grant=grant_id, at=at, until=until))


async def list_duplicate_grants(work: UnitOfWork, grant: AgentGrantRow) -> list[int]:
    """The ids of other open grants of the same user to the same agent for the same server."""
    rows = await work.without_tenant_filter(_TENANCY_REASON).all(
        _duplicates, owner=grant.user_id, agent=grant.agent_id, at_server=grant.server, kept=grant.id
    )
    return [row.id for row in rows]


async def list_access_token_ids(work: UnitOfWork, grant_id: int) -> list[int]:
    """The ids of the access tokens of a grant of any client."""
    rows = await work.without_tenant_filter(_TENANCY_REASON).all(_access_of, grant=grant_id)
    return [row.access_token_id for row in rows]


async def set_grant_ended(work: UnitOfWork, grant_id: int, *, at: datetime, why: str) -> int:
    """Mark a grant of any client as ended. Returns 0 when it had ended before, else 1."""
    return await work.without_tenant_filter(_TENANCY_REASON).run(_end, grant=grant_id, at=at, why=why)


async def list_live_grants(
    work: UnitOfWork, user_id: int, now: datetime, *, limit: int, offset: int
) -> tuple[Sequence[GrantRow], int]:
    """A page of the open grants of a user of this client, newest first, and how many there are."""
    params = {"owner": user_id, "now": now}
    rows = await work.all(_list, GrantRow, **params, page_size=limit, skipped=offset)
    return rows, await work.value(_count, **params)


async def get_grant(work: UnitOfWork, grant_id: int) -> GrantRow | None:
    """A started grant of this client, or None."""
    return await work.first(_one, GrantRow, grant=grant_id)
