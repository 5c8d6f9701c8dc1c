"""What people let agents do: written at the consent, begun with the code, ended by either side."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, func, select, update

from haulier.contexts.identity.accounts.store.tables import tokens
from haulier.contexts.oauth.grants.store.tables import grants, refresh_tokens
from haulier.kernel.data.unit_of_work import UnitOfWork

_TENANCY_REASON = "an agent shows a secret before anybody has come in"
_begin = (
    update(grants)
    .where(grants.c.id == bindparam("grant"), grants.c.began_at.is_(None), grants.c.ended_at.is_(None))
    .values(began_at=bindparam("at"), refreshed_at=bindparam("at"), idle_until=bindparam("until"))
)
_go_on = update(grants).where(grants.c.id == bindparam("grant"), grants.c.ended_at.is_(None))
_end = _go_on.values(ended_at=bindparam("at"), end_reason=bindparam("why"))
_access_of = select(refresh_tokens.c.access_token_id).where(refresh_tokens.c.grant_id == bindparam("grant"))
_revoke_access = (
    update(tokens).where(tokens.c.id.in_(_access_of), tokens.c.revoked_at.is_(None)).values(revoked_at=bindparam("at"))
)
_twins = select(grants.c.id).where(
    grants.c.user_id == bindparam("owner"),
    grants.c.agent_id == bindparam("agent"),
    grants.c.server == bindparam("at_server"),
    grants.c.id != bindparam("kept"),
    grants.c.began_at.is_not(None),
    grants.c.ended_at.is_(None),
)
_never_begun = delete(grants).where(
    grants.c.user_id == bindparam("owner"), grants.c.began_at.is_(None), grants.c.code_expires_at < bindparam("before")
)
_live = (
    grants.c.user_id == bindparam("owner"),
    grants.c.began_at.is_not(None),
    grants.c.ended_at.is_(None),
    grants.c.idle_until > bindparam("now"),
)
_list = (
    select(grants).where(*_live).order_by(grants.c.id.desc()).limit(bindparam("page_size")).offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(grants).where(*_live)
_one = select(grants).where(grants.c.id == bindparam("grant"), grants.c.began_at.is_not(None))


async def insert_grant(work: UnitOfWork, **values: Any) -> int:
    """Write what a user of this client lets an agent do. Returns its id."""
    return await work.insert(grants, **values)


async def delete_unstarted_grants(work: UnitOfWork, user_id: int, *, before: datetime) -> None:
    """Forget grants of a user whose code nobody came to exchange."""
    await work.run(_never_begun, owner=user_id, before=before)


async def start_grant(work: UnitOfWork, grant_id: int, *, at: datetime, until: datetime) -> bool:
    """Let a grant count from now on. False when it did already or has ended: somebody else was quicker."""
    return bool(await work.without_tenant_filter(_TENANCY_REASON).run(_begin, grant=grant_id, at=at, until=until))


async def list_duplicate_grants(work: UnitOfWork, grant: Any) -> list[int]:
    """Other grants of the same user to the same agent for the same server that go on."""
    rows = await work.without_tenant_filter(_TENANCY_REASON).all(
        _twins, owner=grant.user_id, agent=grant.agent_id, at_server=grant.server, kept=grant.id
    )
    return [row.id for row in rows]


async def end_grant(work: UnitOfWork, grant_id: int, *, at: datetime, why: str) -> int:
    """End a grant and revoke its access tokens. Returns 0 when it had ended before, else 1."""
    wide = work.without_tenant_filter("a grant may end before anybody has come in")
    await wide.run(_revoke_access, grant=grant_id, at=at)
    return await wide.run(_end, grant=grant_id, at=at, why=why)


async def list_live_grants(
    work: UnitOfWork, user_id: int, now: datetime, *, limit: int, offset: int
) -> tuple[Sequence[Any], int]:
    """A page of the grants of a user of this client that go on, newest first, and how many there are."""
    asked = {"owner": user_id, "now": now}
    rows = await work.all(_list, **asked, page_size=limit, skipped=offset)
    return rows, await work.value(_count, **asked)


async def get_grant(work: UnitOfWork, grant_id: int) -> Any:
    """A grant of this client that began, or None."""
    return await work.first(_one, grant=grant_id)
