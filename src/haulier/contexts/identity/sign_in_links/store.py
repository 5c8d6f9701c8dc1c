"""The table of sign-in links. Only digests are stored."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, LargeBinary, and_, bindparam, func, select, update

from haulier.contexts.identity.accounts.store.tables import clients, users
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork

links = directory_table(
    "sign_in_link",
    Column("user_id", Id, nullable=False, index=True),
    Column("token_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("made_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("used_at", UTCDateTime),
    Column("revoked_at", UTCDateTime),
    why="the link says who signs in",
)
personal_data(links, RecordKind.SIGN_INS, by={"user_id": PersonKey.USER})
retained(RecordKind.SIGN_INS, links.c.expires_at, default_days=90)


class SignInLinkRow(Row):
    """A sign-in link for a user."""

    id: int
    user_id: int
    made_by: int | None
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None


class LinkOwnerRow(Row):
    """User and business of a sign-in link."""

    user_id: int
    client_id: int
    email: str
    name: str
    account: str
    code: str
    client_name: str


_is_open = and_(links.c.used_at.is_(None), links.c.revoked_at.is_(None))
_works = and_(links.c.token_sha256 == bindparam("digest"), _is_open, links.c.expires_at > bindparam("now"))
_by_token = (
    select(
        links.c.user_id,
        links.c.client_id,
        users.c.email,
        users.c.name,
        users.c.account,
        clients.c.code,
        clients.c.name.label("client_name"),
    )
    .join(users, users.c.id == links.c.user_id)
    .join(clients, clients.c.id == links.c.client_id)
    .where(_works, users.c.active.is_(True))
)
_of_user = links.c.user_id == bindparam("user")
_listed = (
    select(links).where(_of_user).order_by(links.c.id.desc()).limit(bindparam("page_size")).offset(bindparam("skipped"))
)
_counted = select(func.count()).select_from(links).where(_of_user)
_one = select(links).where(_of_user, links.c.id == bindparam("link"))
_use = update(links).where(_works).values(used_at=bindparam("at"))
_revoke = update(links).where(_is_open, _of_user, links.c.id == bindparam("link")).values(revoked_at=bindparam("at"))
_revoke_all = update(links).where(_is_open, _of_user).values(revoked_at=bindparam("at"))


async def insert_sign_in_link(work: UnitOfWork, **values: Any) -> int:
    """Store the digest of a link. Return its id."""
    return await work.insert(links, **values)


async def get_link_owner(work: UnitOfWork, digest: bytes, now: datetime) -> LinkOwnerRow | None:
    """Return the user of a valid link, or None."""
    return await work.first(_by_token, LinkOwnerRow, digest=digest, now=now)


async def use_sign_in_link(work: UnitOfWork, digest: bytes, now: datetime) -> bool:
    """Use a link up. Return False if it is no longer valid.

    Of two concurrent calls only one succeeds.
    """
    return await work.run(_use, digest=digest, now=now, at=now) == 1


async def get_sign_in_link(work: UnitOfWork, user_id: int, link_id: int) -> SignInLinkRow | None:
    """Return a link of a user, or None."""
    return await work.first(_one, SignInLinkRow, user=user_id, link=link_id)


async def list_link_rows(
    work: UnitOfWork, user_id: int, *, limit: int, offset: int
) -> tuple[Sequence[SignInLinkRow], int]:
    """Return a page of a user's links, newest first, and the total."""
    rows = await work.all(_listed, SignInLinkRow, user=user_id, page_size=limit, skipped=offset)
    return rows, await work.value(_counted, user=user_id)


async def revoke_link_row(work: UnitOfWork, user_id: int, link_id: int, at: datetime) -> bool:
    """Revoke a link of a user. Return False if it was already used or revoked."""
    return await work.run(_revoke, user=user_id, link=link_id, at=at) == 1


async def revoke_link_rows(work: UnitOfWork, user_id: int, at: datetime) -> None:
    """Revoke every unused link of a user."""
    await work.run(_revoke_all, user=user_id, at=at)
