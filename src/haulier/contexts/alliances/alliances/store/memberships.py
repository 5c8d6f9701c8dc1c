"""The tables of alliances. A row of a member names the member and its alliance; each statement asks for the caller's own.

Both are read by more than one client, so statements run without the tenant filter.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Index,
    String,
    UniqueConstraint,
    and_,
    bindparam,
    func,
    select,
    update,
)

from haulier.contexts.alliances.alliances.rules import PRESENT, AllianceMemberState
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import CLIENT_ID, Id, UTCDateTime, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX, REASON_MAX

IS_A_MEMBER = "the caller stands in the alliance, or the statement asks where it does"

alliances = directory_table(
    "alliance",
    Column("founder_code", String(64), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("note", String(NOTE_MAX)),
    Column("created_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    Column("reason", String(REASON_MAX)),
    Index("ix_alliance_client", CLIENT_ID, "id"),
    why="all its members read it",
)
"""`client_id` is the founder's."""
plain_columns(alliances, "founder_code", "name", "note", "reason")

alliance_members = directory_table(
    "alliance_member",
    Column("alliance_id", Id, nullable=False),
    Column("code", String(64), nullable=False),
    Column("founder", Boolean, nullable=False),
    Column("state", String(20), nullable=False),
    Column("invited_at", UTCDateTime, nullable=False),
    Column("joined_at", UTCDateTime),
    Column("left_at", UTCDateTime),
    Column("reason", String(REASON_MAX)),
    Column("present", Boolean),
    UniqueConstraint("alliance_id", CLIENT_ID, "present"),
    Index("ix_alliance_member_client", CLIENT_ID, "alliance_id"),
    why="all members of the alliance read it",
)
"""`client_id` is the member's. `present` is true or null, so that a business is invited once at a time."""
plain_columns(alliance_members, "code", "state", "reason")


class AllianceRow(Row):
    """An alliance, and where one business stands in it."""

    id: int
    client_id: int
    founder_code: str
    name: str
    note: str | None
    created_at: datetime
    ended_at: datetime | None
    reason: str | None
    member_id: int
    state: str
    invited_at: datetime
    joined_at: datetime | None
    members: int


class AllianceMemberRow(Row):
    """A member. `client_id` is its own."""

    id: int
    client_id: int
    alliance_id: int
    code: str
    founder: bool
    state: str
    invited_at: datetime
    joined_at: datetime | None
    left_at: datetime | None
    reason: str | None


_of_alliance = alliance_members.alias("of_alliance")
_active_members = (
    select(func.count())
    .select_from(_of_alliance)
    .where(_of_alliance.c.alliance_id == alliances.c.id, _of_alliance.c.state == AllianceMemberState.ACTIVE.value)
    .scalar_subquery()
)
_own = alliances.join(
    alliance_members,
    and_(alliance_members.c.alliance_id == alliances.c.id, alliance_members.c[CLIENT_ID] == bindparam("us")),
)
_own_alliances = select(
    *alliances.c,
    alliance_members.c.id.label("member_id"),
    alliance_members.c.state,
    alliance_members.c.invited_at,
    alliance_members.c.joined_at,
    _active_members.label("members"),
).select_from(_own)
_own_alliance = (
    _own_alliances.where(alliances.c.id == bindparam("alliance")).order_by(alliance_members.c.id.desc()).limit(1)
)
_lock_alliance = select(alliances.c.id).where(alliances.c.id == bindparam("alliance")).with_for_update()
_members = select(alliance_members).where(alliance_members.c.alliance_id == bindparam("alliance"))
_present_member = _members.where(alliance_members.c.code == bindparam("business"), alliance_members.c.present.is_(True))


async def insert_alliance(work: UnitOfWork, founder: int, **values: Any) -> int:
    """Write an alliance; its id."""
    return await work.without_tenant_filter(IS_A_MEMBER).insert(alliances, **{CLIENT_ID: founder}, **values)


async def update_alliance(work: UnitOfWork, alliance_id: int, founder: int, **values: Any) -> None:
    """Change columns of an alliance that we founded."""
    ours = and_(alliances.c.id == alliance_id, alliances.c[CLIENT_ID] == founder)
    await work.without_tenant_filter(IS_A_MEMBER).run(update(alliances).where(ours).values(**values))


async def get_alliance(work: UnitOfWork, alliance_id: int, us: int, *, lock: bool = False) -> AllianceRow | None:
    """An alliance in which we stand or stood, as we do now; or None. With `lock` nobody joins or leaves it meanwhile."""
    wide = work.without_tenant_filter(IS_A_MEMBER)
    if lock:
        await wide.first(_lock_alliance, alliance=alliance_id)
    return await wide.first(_own_alliance, AllianceRow, alliance=alliance_id, us=us)


async def find_alliances(
    work: UnitOfWork, us: int, state: AllianceMemberState | None, limit: int, offset: int
) -> tuple[Sequence[AllianceRow], int]:
    """A page of the alliances in which we stand or stood, newest first, and how many there are."""
    latest = (
        select(func.max(alliance_members.c.id))
        .where(alliance_members.c[CLIENT_ID] == bindparam("us"))
        .group_by(alliance_members.c.alliance_id)
    )
    where: list[ColumnElement[bool]] = [alliance_members.c.id.in_(latest)]
    if state is not None:
        where.append(alliance_members.c.state == state.value)
    wide = work.without_tenant_filter(IS_A_MEMBER)
    page = _own_alliances.where(*where).order_by(alliances.c.id.desc()).limit(limit).offset(offset)
    return await wide.all(page, AllianceRow, us=us), await wide.value(
        select(func.count()).select_from(_own).where(*where), us=us
    )


async def insert_alliance_member(work: UnitOfWork, member: int, **values: Any) -> int:
    """Write a member; its id. Raises `UniqueConflict` when the business is there already."""
    state = AllianceMemberState(values["state"])
    return await work.without_tenant_filter(IS_A_MEMBER).insert(
        alliance_members, **{CLIENT_ID: member}, present=state in PRESENT or None, **values
    )


async def find_present_member(work: UnitOfWork, alliance_id: int, business: str) -> AllianceMemberRow | None:
    """The member of a business that is invited or belongs to an alliance, or None."""
    return await work.without_tenant_filter(IS_A_MEMBER).first(
        _present_member, AllianceMemberRow, alliance=alliance_id, business=business
    )


async def find_alliance_members(
    work: UnitOfWork, alliance_id: int, state: AllianceMemberState | None, limit: int, offset: int
) -> tuple[Sequence[AllianceMemberRow], int]:
    """A page of members in the order of their invitations, and how many there are."""
    where = [alliance_members.c.alliance_id == alliance_id]
    if state is not None:
        where.append(alliance_members.c.state == state.value)
    wide = work.without_tenant_filter(IS_A_MEMBER)
    page = select(alliance_members).where(*where).order_by(alliance_members.c.id).limit(limit).offset(offset)
    return await wide.all(page, AllianceMemberRow), await wide.value(
        select(func.count()).select_from(alliance_members).where(*where)
    )


async def update_alliance_member(work: UnitOfWork, member_id: int, state: AllianceMemberState, **values: Any) -> None:
    """Change where a member stands, and other columns."""
    statement = update(alliance_members).where(alliance_members.c.id == member_id)
    await work.without_tenant_filter(IS_A_MEMBER).run(
        statement.values(state=state.value, present=state in PRESENT or None, **values)
    )


async def end_alliance_members(work: UnitOfWork, alliance_id: int, now: datetime, reason: str | None) -> None:
    """Let all who are there go, because the alliance ended."""
    present = and_(alliance_members.c.alliance_id == alliance_id, alliance_members.c.present.is_(True))
    ended = {"state": AllianceMemberState.ENDED.value, "present": None, "left_at": now, "reason": reason}
    await work.without_tenant_filter(IS_A_MEMBER).run(update(alliance_members).where(present).values(**ended))
