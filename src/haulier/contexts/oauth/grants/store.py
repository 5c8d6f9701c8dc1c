"""Tables and statements of grants."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Column, Index, LargeBinary, String, bindparam, delete, exists, func, select, update

from haulier.contexts.identity.accounts.store.tables import members, tokens, users
from haulier.contexts.oauth.grants.contract import AGENT_ID_MAX, NAME_MAX, URI_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import Record
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, directory_table, shared_table
from haulier.kernel.data.unit_of_work import UnitOfWork


class AgentRow(Record, table="oauth_client", kind=shared_table):
    """An agent.

    `key` is the agent's `client_id`. `fetched_at` is null for a self-registered agent.
    """

    key: Annotated[str, Column("key", String(AGENT_ID_MAX), nullable=False, unique=True)]
    name: Annotated[str, String(NAME_MAX)]
    uri: Annotated[str, String(URI_MAX)] | None
    redirect_uris: list[str]
    created_at: Annotated[datetime, Column("created_at", UTCDateTime, nullable=False, index=True)]
    fetched_at: datetime | None


agents = AgentRow.table
plain_columns(agents, "key", "name", "uri", "redirect_uris")

grants = directory_table(
    "oauth_grant",
    Column("user_id", Id, nullable=False),
    Column("parent_token_id", Id),
    Column("agent_id", Id, nullable=False, index=True),
    Column("name", String(NAME_MAX), nullable=False),
    Column("server", String(10), nullable=False),
    Column("scopes", Json, nullable=False),
    Column("redirect_uri", String(URI_MAX)),
    Column("code_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("code_challenge", String(43), nullable=False),
    Column("code_expires_at", UTCDateTime, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("began_at", UTCDateTime),
    Column("refreshed_at", UTCDateTime),
    Column("idle_until", UTCDateTime),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    Column("end_reason", String(20)),
    Index("ix_oauth_grant_owner", "client_id", "user_id"),
    why="an agent sends a code before sign-in",
)
"""Grants. A row is written at the consent, with the digest of its code; the grant starts at `began_at`, when the code
is exchanged. `redirect_uri` is null if the request had none. `parent_token_id` is the API token of the consent, with
which the grant ends; null for a signed-in user."""
personal_data(
    grants,
    RecordKind.SIGN_INS,
    by={"user_id": PersonKey.USER},
    erased={},
    secret=frozenset({"code_challenge"}),
    plain=("name", "server", "scopes", "redirect_uri", "code_sha256", "code_challenge", "end_reason"),
)

refresh_tokens = directory_table(
    "oauth_refresh_token",
    Column("grant_id", Id, nullable=False, index=True),
    Column("token_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("access_token_id", Id, nullable=False, index=True),
    Column("created_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("used_at", UTCDateTime),
    why="an agent sends a secret before sign-in",
)
"""Refresh tokens of grants, each with its access token. Reuse means that two parties know it."""
plain_columns(refresh_tokens, "token_sha256")


_delete_unused = delete(agents).where(
    agents.c.created_at < bindparam("before"), ~exists().where(grants.c.agent_id == agents.c.id)
)


async def delete_unused_agents(work: UnitOfWork, *, before: datetime) -> int:
    """Delete agents without grants from before a time. Return their number."""
    return await work.without_tenant_filter("an agent belongs to no client").run(_delete_unused, before=before)


_TENANCY_REASON = "an agent sends a secret before sign-in"


class AgentGrantRow(Row):
    """A grant with agent and owner. `granted` are the owner's limited scopes.

    `parent_revoked_at` and `parent_expires_at` are those of the API token of the consent.
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
    """Return the grant of a code with agent and owner, of any client, or None."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(_by_code, AgentGrantRow, digest=digest)


async def get_grant_by_refresh_token(work: UnitOfWork, digest: bytes) -> RefreshGrantRow | None:
    """Return the grant of a refresh token with its state, of any client, or None."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(_by_refresh, RefreshGrantRow, digest=digest)


async def get_grant_by_access_token(work: UnitOfWork, digest: bytes) -> AgentGrantRow | None:
    """Return the grant of an access token, of any client; None for other tokens."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(_by_access, AgentGrantRow, digest=digest)


async def insert_refresh_token(work: UnitOfWork, **values: Any) -> None:
    """Insert a refresh token with its access token."""
    await work.without_tenant_filter(_TENANCY_REASON).insert(refresh_tokens, **values)


async def use_refresh_token(work: UnitOfWork, grant: RefreshGrantRow, *, at: datetime, until: datetime) -> bool:
    """Use a refresh token up. Return False if it was already used."""
    wide = work.without_tenant_filter(_TENANCY_REASON)
    if not await wide.run(_use, refresh=grant.refresh_id, at=at):
        return False
    return bool(await wide.run(_refreshed, grant=grant.id, at=at, until=until))


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
    """Start a grant. Return False if it was already started or has ended."""
    return bool(await work.without_tenant_filter(_TENANCY_REASON).run(_begin, grant=grant_id, at=at, until=until))


async def list_duplicate_grants(work: UnitOfWork, grant: AgentGrantRow) -> list[int]:
    """Return other open grants of the same user, agent and server."""
    rows = await work.without_tenant_filter(_TENANCY_REASON).all(
        _duplicates, owner=grant.user_id, agent=grant.agent_id, at_server=grant.server, kept=grant.id
    )
    return [row.id for row in rows]


async def list_access_token_ids(work: UnitOfWork, grant_id: int) -> list[int]:
    """Return the ids of the access tokens of a grant of any client."""
    rows = await work.without_tenant_filter(_TENANCY_REASON).all(_access_of, grant=grant_id)
    return [row.access_token_id for row in rows]


async def set_grant_ended(work: UnitOfWork, grant_id: int, *, at: datetime, why: str) -> int:
    """Mark a grant of any client as ended. Returns 0 when it had ended before, else 1."""
    return await work.without_tenant_filter(_TENANCY_REASON).run(_end, grant=grant_id, at=at, why=why)


async def list_live_grants(
    work: UnitOfWork, user_id: int, now: datetime, *, limit: int, offset: int
) -> tuple[Sequence[GrantRow], int]:
    """Return a page of the user's open grants, newest first, and the total."""
    params = {"owner": user_id, "now": now}
    rows = await work.all(_list, GrantRow, **params, page_size=limit, skipped=offset)
    return rows, await work.value(_count, **params)


async def get_grant(work: UnitOfWork, grant_id: int) -> GrantRow | None:
    """Return a started grant of this client, or None."""
    return await work.first(_one, GrantRow, grant=grant_id)
