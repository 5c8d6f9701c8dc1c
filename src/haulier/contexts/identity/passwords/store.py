"""The table of password reset links. Only digests are stored."""

from datetime import datetime
from typing import Any

from sqlalchemy import Column, LargeBinary, String, and_, bindparam, delete, select, update

from haulier.contexts.identity.accounts.store.tables import users
from haulier.contexts.identity.fields import EMAIL_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork

resets = directory_table(
    "password_reset",
    Column("user_id", Id, nullable=False, index=True),
    Column("sent_to", String(EMAIL_MAX), nullable=False),
    Column("token_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("created_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("used_at", UTCDateTime),
    why="the link says whose password it sets",
)
"""A link ends when the user's email address changes: the old mailbox may belong to another person."""
personal_data(resets, RecordKind.SIGN_INS, by={"user_id": PersonKey.USER})
retained(RecordKind.SIGN_INS, resets.c.expires_at, default_days=90)


class PasswordResetRow(Row):
    """The user whose password a link resets."""

    user_id: int
    client_id: int
    email: str
    name: str
    account: str


_works = and_(
    resets.c.token_sha256 == bindparam("digest"), resets.c.used_at.is_(None), resets.c.expires_at > bindparam("now")
)
_by_token = (
    select(resets.c.user_id, resets.c.client_id, users.c.email, users.c.name, users.c.account)
    .join(users, users.c.id == resets.c.user_id)
    .where(_works, users.c.active.is_(True), users.c.email == resets.c.sent_to)
)
_use = update(resets).where(_works).values(used_at=bindparam("at"))
_end_others = (
    update(resets)
    .where(resets.c.user_id == bindparam("user"), resets.c.used_at.is_(None))
    .values(used_at=bindparam("at"))
)
_delete_old = delete(resets).where(resets.c.user_id == bindparam("user"), resets.c.expires_at < bindparam("before"))


async def insert_password_reset(work: UnitOfWork, **values: Any) -> None:
    """Store the digest of a link."""
    await work.insert(resets, **values)


async def get_password_reset(work: UnitOfWork, digest: bytes, now: datetime) -> PasswordResetRow | None:
    """Return the user of a valid reset link, or None."""
    return await work.first(_by_token, PasswordResetRow, digest=digest, now=now)


async def use_password_reset(work: UnitOfWork, digest: bytes, now: datetime) -> bool:
    """Use a link up. Return False if it is no longer valid.

    Of two concurrent calls only one succeeds.
    """
    return await work.run(_use, digest=digest, now=now, at=now) == 1


async def end_other_password_resets(work: UnitOfWork, user_id: int, now: datetime) -> None:
    """End every other link of a user."""
    await work.run(_end_others, user=user_id, at=now)


async def delete_expired_password_resets(work: UnitOfWork, user_id: int, before: datetime) -> None:
    """Delete the links of a user that ended before a time."""
    await work.run(_delete_old, user=user_id, before=before)
