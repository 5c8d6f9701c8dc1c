"""Sessions of apps and their tokens."""

from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, String, bindparam, select, update

from haulier.contexts.customer_apps.apps.rules import VERSION_MAX
from haulier.contexts.customer_apps.apps.store import apps
from haulier.contexts.identity.accounts.store.tables import tokens, users
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork

sessions = directory_table(
    "app_session",
    Column("app_id", Id, nullable=False),
    Column("user_id", Id, nullable=False),
    Column("device_id", String(191), nullable=False),
    Column("device_platform", String(10), nullable=False),
    Column("app_version", String(VERSION_MAX)),
    Column("method", String(20), nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("refreshed_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Column("end_reason", String(20)),
    Index("ix_app_session_device", "client_id", "user_id", "app_id", "device_id"),
    why="read with its token, before the bearer is known",
)
personal_data(
    sessions,
    RecordKind.SIGN_INS,
    by={"user_id": PersonKey.USER},
    erased={"device_id": lambda row, keys: f"{ERASED}{row.id}"},
    plain=("device_platform", "app_version", "method", "end_reason"),
)
session_tokens = directory_table(
    "app_session_token",
    Column("session_id", Id, nullable=False, index=True),
    Column("token_id", Id, nullable=False, unique=True),
    Column("replaced_at", UTCDateTime),
    why="read with the token that was replaced, before its bearer is known",
)
"""Every token that a session ever had. A replaced one that is used again is known to two parties."""


class AppSessionRow(Row):
    """A session of an app."""

    id: int
    client_id: int
    app_id: int
    user_id: int
    device_id: str
    device_platform: str


class ReusedSessionRow(AppSessionRow):
    """An open session, found by a replaced token."""

    replaced_at: datetime | None
    account: str


_session = (
    sessions.c.id,
    sessions.c.client_id,
    sessions.c.app_id,
    sessions.c.user_id,
    sessions.c.device_id,
    sessions.c.device_platform,
    sessions.c.ended_at,
)
_by_token = (
    select(*_session)
    .join_from(session_tokens, sessions, sessions.c.id == session_tokens.c.session_id)
    .where(session_tokens.c.token_id == bindparam("token"))
)
_replaced = (
    select(*_session, session_tokens.c.replaced_at, users.c.account, apps.c.code.label("app_code"))
    .join_from(tokens, session_tokens, session_tokens.c.token_id == tokens.c.id)
    .join(sessions, sessions.c.id == session_tokens.c.session_id)
    .join(users, users.c.id == sessions.c.user_id)
    .join(apps, apps.c.id == sessions.c.app_id)
    .where(tokens.c.token_sha256 == bindparam("digest"), sessions.c.ended_at.is_(None))
)
_on_device = select(sessions.c.id).where(
    sessions.c.client_id == bindparam("client"),
    sessions.c.user_id == bindparam("owner"),
    sessions.c.app_id == bindparam("app"),
    sessions.c.device_id == bindparam("device"),
    sessions.c.ended_at.is_(None),
)
_end = (
    update(sessions)
    .where(sessions.c.id == bindparam("session"), sessions.c.ended_at.is_(None))
    .values(ended_at=bindparam("at"), end_reason=bindparam("why"))
)
_revoke_tokens = (
    update(tokens)
    .where(
        tokens.c.id.in_(select(session_tokens.c.token_id).where(session_tokens.c.session_id == bindparam("session"))),
        tokens.c.revoked_at.is_(None),
    )
    .values(revoked_at=bindparam("at"))
)
_replace = (
    update(session_tokens).where(session_tokens.c.token_id == bindparam("token")).values(replaced_at=bindparam("at"))
)
_refresh = (
    update(sessions)
    .where(sessions.c.id == bindparam("session"))
    .values(refreshed_at=bindparam("at"), app_version=bindparam("version"))
)
_TENANCY_REASON = "a session is made before its owner has signed in"


async def insert_app_session(work: UnitOfWork, token_id: int, **values: Any) -> int:
    """Write a session and its token. Returns the id of the session."""
    wide = work.without_tenant_filter(_TENANCY_REASON)
    session_id = await wide.insert(sessions, **values)
    await wide.insert(session_tokens, client_id=values["client_id"], session_id=session_id, token_id=token_id)
    return session_id


async def list_open_sessions_on_device(
    work: UnitOfWork, client_id: int, user_id: int, app_id: int, device_id: str
) -> list[int]:
    """The sessions of a user in an app on a device that have not ended."""
    rows = await work.without_tenant_filter(_TENANCY_REASON).all(
        _on_device, client=client_id, owner=user_id, app=app_id, device=device_id
    )
    return [row.id for row in rows]


async def get_session_by_token(work: UnitOfWork, token_id: int) -> AppSessionRow | None:
    """The session of this client that a token belongs or belonged to, or None."""
    return await work.first(_by_token, AppSessionRow, token=token_id)


async def get_session_by_replaced_token(work: UnitOfWork, digest: bytes) -> ReusedSessionRow | None:
    """The open session of any client that a revoked token belonged to, or None."""
    return await work.without_tenant_filter("a token that works no more says nothing about its bearer").first(
        _replaced, ReusedSessionRow, digest=digest
    )


async def end_app_session(work: UnitOfWork, session_id: int, *, at: datetime, why: str) -> int:
    """End a session and revoke its tokens. Returns 0 when it had ended before, else 1."""
    wide = work.without_tenant_filter("a session may end before anyone has signed in")
    await wide.run(_revoke_tokens, session=session_id, at=at)
    return await wide.run(_end, session=session_id, at=at, why=why)


async def replace_session_token(
    work: UnitOfWork, session: AppSessionRow, old: int, new: int, *, at: datetime, version: str | None
) -> None:
    """Give a session another token."""
    await work.run(_replace, token=old, at=at)
    await work.insert(session_tokens, session_id=session.id, token_id=new)
    await work.run(_refresh, session=session.id, at=at, version=version)
