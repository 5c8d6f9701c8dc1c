"""The table of invitations: one row for each user who was invited."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, LargeBinary, String, and_, bindparam, func, not_, select, true, update

from haulier.contexts.identity.accounts.store.tables import clients, users
from haulier.contexts.identity.fields import EMAIL_MAX
from haulier.contexts.identity.invitations.rules import InvitationStatus
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork

invitations = directory_table(
    "invitation",
    Column("user_id", Id, nullable=False, unique=True),
    Column("sent_to", String(EMAIL_MAX)),
    Column("token_sha256", LargeBinary(32), unique=True),
    Column("invited_by", Id),
    Column("invited_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("sent_at", UTCDateTime),
    Column("accepted_at", UTCDateTime),
    Column("withdrawn_at", UTCDateTime),
    why="the link says who is invited",
)
"""Invitations. Only the digest of the link's token is stored, from sending on. The link ends when the user's email
address changes: the old mailbox may belong to another person."""
personal_data(
    invitations,
    RecordKind.USERS,
    by={"user_id": PersonKey.USER},
    erased={"sent_to": None, "token_sha256": None},
)


class InvitationRow(Row):
    """An invitation with its user."""

    id: int
    client_id: int
    user_id: int
    expires_at: datetime
    accepted_at: datetime | None
    withdrawn_at: datetime | None
    name: str
    email: str
    account: str
    active: bool


class InvitationLinkRow(InvitationRow):
    """An invitation found by its link, with the name of the client."""

    client_name: str


_joined = select(invitations, users.c.name, users.c.email, users.c.account, users.c.active).join(
    users, users.c.id == invitations.c.user_id
)
_one = _joined.where(invitations.c.id == bindparam("invitation"))
_waiting_of = _joined.where(users.c.email == bindparam("address"), invitations.c.accepted_at.is_(None)).order_by(
    invitations.c.id.desc()
)
_by_token = (
    _joined.add_columns(clients.c.name.label("client_name"))
    .join(clients, clients.c.id == invitations.c.client_id)
    .where(invitations.c.token_sha256 == bindparam("digest"), users.c.email == invitations.c.sent_to)
)
_is_open = and_(invitations.c.accepted_at.is_(None), invitations.c.withdrawn_at.is_(None))
_in_time = invitations.c.expires_at > bindparam("now")
_WHERE: Mapping[InvitationStatus, ColumnElement[bool]] = {
    InvitationStatus.PENDING: and_(_is_open, _in_time),
    InvitationStatus.EXPIRED: and_(_is_open, not_(_in_time)),
    InvitationStatus.ACCEPTED: invitations.c.accepted_at.is_not(None),
    InvitationStatus.WITHDRAWN: and_(invitations.c.accepted_at.is_(None), invitations.c.withdrawn_at.is_not(None)),
}

_lists = {
    status: (
        _joined.where(where)
        .order_by(invitations.c.id.desc())
        .limit(bindparam("page_size"))
        .offset(bindparam("skipped")),
        select(func.count()).select_from(invitations).where(where),
    )
    for status, where in {None: true(), **_WHERE}.items()
}
_change = update(invitations).where(invitations.c.id == bindparam("invitation"))
_set_token = _change.values(token_sha256=bindparam("digest"), sent_to=bindparam("address"), sent_at=bindparam("at"))
_reopen = _change.values(
    token_sha256=None, sent_at=None, withdrawn_at=None, invited_at=bindparam("at"), expires_at=bindparam("until")
)
_withdraw = _change.values(token_sha256=None, withdrawn_at=bindparam("at"))
_accept = (
    update(invitations)
    .where(invitations.c.token_sha256 == bindparam("digest"), _is_open, _in_time)
    .values(accepted_at=bindparam("at"), token_sha256=None)
)


async def insert_invitation(work: UnitOfWork, **values: Any) -> int:
    """Write an invitation. Returns its id."""
    return await work.insert(invitations, **values)


async def get_invitation(work: UnitOfWork, id: int, *, lock: bool = False) -> InvitationRow | None:
    """Return an invitation of this client with its user, or None."""
    return await work.first(_one.with_for_update() if lock else _one, InvitationRow, invitation=id)


async def find_waiting_invitation(work: UnitOfWork, email: str) -> InvitationRow | None:
    """Return the latest unaccepted invitation of this client to an address, or None."""
    return await work.first(_waiting_of.limit(1), InvitationRow, address=email)


async def get_invitation_by_token(work: UnitOfWork, digest: bytes) -> InvitationLinkRow | None:
    """Return the invitation of a link token with user and client, or None."""
    return await work.without_tenant_filter("the link says who is invited").first(
        _by_token, InvitationLinkRow, digest=digest
    )


async def list_invitation_rows(
    work: UnitOfWork, status: InvitationStatus | None, now: datetime, *, limit: int, offset: int
) -> tuple[Sequence[InvitationRow], int]:
    """Return a page of this client's invitations, newest first, and the total."""
    listed, counted = _lists[status]
    params = {"now": now} if status in {InvitationStatus.PENDING, InvitationStatus.EXPIRED} else {}
    rows = await work.all(listed, InvitationRow, **params, page_size=limit, skipped=offset)
    return rows, await work.value(counted, **params)


async def set_invitation_token(work: UnitOfWork, id: int, digest: bytes, address: str, at: datetime) -> None:
    """Store the digest of the link being sent; older links end."""
    await work.run(_set_token, invitation=id, digest=digest, address=address, at=at)


async def reopen_invitation(work: UnitOfWork, id: int, at: datetime, until: datetime) -> None:
    """Open an invitation again; an older link ends."""
    await work.run(_reopen, invitation=id, at=at, until=until)


async def set_invitation_withdrawn(work: UnitOfWork, id: int, at: datetime) -> None:
    """Withdraw an invitation; its link ends."""
    await work.run(_withdraw, invitation=id, at=at)


async def set_invitation_accepted(work: UnitOfWork, digest: bytes, at: datetime) -> bool:
    """Use a link up. Return False if it was used, withdrawn or expired.

    Of two concurrent calls only one succeeds.
    """
    changed = await work.without_tenant_filter("the link says who is invited").run(
        _accept, digest=digest, at=at, now=at
    )
    return changed == 1
