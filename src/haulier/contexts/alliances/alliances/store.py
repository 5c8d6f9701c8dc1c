"""Tables and statements of alliances.

They are read by several clients, so statements run without the tenant filter; each selects only rows that name the
caller.
"""

from collections.abc import Collection, Mapping, Sequence
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
    delete,
    exists,
    func,
    or_,
    select,
    update,
)

from haulier.contexts.alliances.alliances.rules import PRESENT, AllianceMemberState
from haulier.kernel.data.personal_data import RecordKind, plain_columns, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import CLIENT_ID, Id, Json, UTCDateTime, directory_table, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX, REASON_MAX
from haulier.kernel.values.pagination import MAX_COUNT

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
    """An alliance with the membership of one business."""

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
    """Insert an alliance. Return its id."""
    return await work.without_tenant_filter(IS_A_MEMBER).insert(alliances, **{CLIENT_ID: founder}, **values)


async def update_alliance(work: UnitOfWork, alliance_id: int, founder: int, **values: Any) -> None:
    """Update an alliance that this business founded."""
    ours = and_(alliances.c.id == alliance_id, alliances.c[CLIENT_ID] == founder)
    await work.without_tenant_filter(IS_A_MEMBER).run(update(alliances).where(ours).values(**values))


async def get_alliance(work: UnitOfWork, alliance_id: int, us: int, *, lock: bool = False) -> AllianceRow | None:
    """Return an alliance with our membership, or None.

    Also for former memberships. `lock` prevents joining and leaving meanwhile.
    """
    wide = work.without_tenant_filter(IS_A_MEMBER)
    if lock:
        await wide.first(_lock_alliance, alliance=alliance_id)
    return await wide.first(_own_alliance, AllianceRow, alliance=alliance_id, us=us)


async def find_alliances(
    work: UnitOfWork, us: int, state: AllianceMemberState | None, limit: int, offset: int
) -> tuple[Sequence[AllianceRow], int]:
    """Return a page of our alliances, newest first, and the total."""
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
    """Insert a member. Return its id.

    Raises `UniqueConflict` if the business is present.
    """
    state = AllianceMemberState(values["state"])
    return await work.without_tenant_filter(IS_A_MEMBER).insert(
        alliance_members, **{CLIENT_ID: member}, present=state in PRESENT or None, **values
    )


async def find_present_member(work: UnitOfWork, alliance_id: int, business: str) -> AllianceMemberRow | None:
    """Return the invited or active member of a business, or None."""
    return await work.without_tenant_filter(IS_A_MEMBER).first(
        _present_member, AllianceMemberRow, alliance=alliance_id, business=business
    )


async def find_alliance_members(
    work: UnitOfWork, alliance_id: int, state: AllianceMemberState | None, limit: int, offset: int
) -> tuple[Sequence[AllianceMemberRow], int]:
    """Return a page of members by invitation, and the total."""
    where = [alliance_members.c.alliance_id == alliance_id]
    if state is not None:
        where.append(alliance_members.c.state == state.value)
    wide = work.without_tenant_filter(IS_A_MEMBER)
    page = select(alliance_members).where(*where).order_by(alliance_members.c.id).limit(limit).offset(offset)
    return await wide.all(page, AllianceMemberRow), await wide.value(
        select(func.count()).select_from(alliance_members).where(*where)
    )


async def update_alliance_member(work: UnitOfWork, member_id: int, state: AllianceMemberState, **values: Any) -> None:
    """Set the state and other columns of a member."""
    statement = update(alliance_members).where(alliance_members.c.id == member_id)
    await work.without_tenant_filter(IS_A_MEMBER).run(
        statement.values(state=state.value, present=state in PRESENT or None, **values)
    )


async def end_alliance_members(work: UnitOfWork, alliance_id: int, now: datetime, reason: str | None) -> None:
    """End all memberships of an ended alliance."""
    present = and_(alliance_members.c.alliance_id == alliance_id, alliance_members.c.present.is_(True))
    ended = {"state": AllianceMemberState.ENDED.value, "present": None, "left_at": now, "reason": reason}
    await work.without_tenant_filter(IS_A_MEMBER).run(update(alliance_members).where(present).values(**ended))


BOTH_NAMED = "the row names both businesses, and the caller is one of them"
NUMBER_MAX = 100

tracking_grants = directory_table(
    "tracking_grant",
    Column("giver_code", String(64), nullable=False),
    Column("reader_id", Id, nullable=False),
    Column("reader_code", String(64), nullable=False),
    Column("alliance_id", Id, nullable=False),
    Column("numbers", String(10), nullable=False),
    Column("fields", Json, nullable=False),
    Column("granted_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime),
    Column("suspended_at", UTCDateTime),
    Column("suspended_reason", String(20)),
    Column("set_up_by", Id),
    Column("set_up_with", Id),
    Column("ended_at", UTCDateTime),
    Column("live", Boolean),
    UniqueConstraint(CLIENT_ID, "reader_id", "live"),
    Index("ix_tracking_grant_reader", "reader_id", "id"),
    why="a row names two clients, and either reads it",
)
"""`live` is true or null: a business has one live grant to another, and any number of ended ones. `set_up_by` and
`set_up_with` name the responsible user and API token, or neither for the business."""
plain_columns(tracking_grants, "giver_code", "reader_code", "numbers", "fields", "suspended_reason")

shared_numbers = tenant_table(
    "tracking_grant_number",
    Column("grant_id", Id, nullable=False),
    Column("number_key", String(NUMBER_MAX), nullable=False),
    Column("number", String(NUMBER_MAX), nullable=False),
    Column("set_up_by", Id),
    Column("set_up_with", Id),
    UniqueConstraint(CLIENT_ID, "grant_id", "number_key"),
)
plain_columns(shared_numbers, "number_key", "number")

alliance_reads = directory_table(
    "alliance_read",
    Column("giver_code", String(64), nullable=False),
    Column("reader_id", Id, nullable=False),
    Column("reader_code", String(64), nullable=False),
    Column("grant_id", Id, nullable=False),
    Column("tracking_number", String(NUMBER_MAX), nullable=False),
    Column("user_id", Id),
    Column("read_at", UTCDateTime, nullable=False),
    Index("ix_alliance_read_giver", CLIENT_ID, "id"),
    Index("ix_alliance_read_reader", "reader_id", "id"),
    why="a row names two clients, and either reads it",
)
plain_columns(alliance_reads, "giver_code", "reader_code", "tracking_number")
retained(RecordKind.AUDIT_TRAIL, alliance_reads.c.read_at, default_days=1095, minimum_days=90)


class TrackingGrantRow(Row):
    """A grant. `client_id` is the giver's."""

    id: int
    client_id: int
    giver_code: str
    reader_id: int
    reader_code: str
    alliance_id: int
    alliance: str
    numbers: str
    fields: list[str]
    granted_at: datetime
    expires_at: datetime | None
    suspended_at: datetime | None
    suspended_reason: str | None
    set_up_by: int | None
    set_up_with: int | None
    ended_at: datetime | None
    live: bool | None
    both_belong: bool


class SharedNumberRow(Row):
    """A listed number, and who is responsible for sharing it."""

    number_key: str
    set_up_by: int | None
    set_up_with: int | None


class AllianceReadRow(Row):
    """A read under a grant. `client_id` is the giver's."""

    id: int
    client_id: int
    giver_code: str
    reader_code: str
    grant_id: int
    tracking_number: str
    user_id: int | None
    read_at: datetime


def _has_belonged(name: str, client: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that a client has belonged since the grant."""
    member = alliance_members.alias(name)
    return exists().where(
        member.c.alliance_id == tracking_grants.c.alliance_id,
        member.c[CLIENT_ID] == client,
        member.c.state == AllianceMemberState.ACTIVE.value,
        member.c.joined_at <= tracking_grants.c.granted_at,
    )


_both_belong = and_(
    _has_belonged("giver", tracking_grants.c[CLIENT_ID]), _has_belonged("reader", tracking_grants.c.reader_id)
)
_in_force = and_(
    tracking_grants.c.live.is_(True),
    tracking_grants.c.suspended_at.is_(None),
    or_(tracking_grants.c.expires_at.is_(None), tracking_grants.c.expires_at > bindparam("now", type_=UTCDateTime())),
    _both_belong,
)
_gives, _receives = tracking_grants.c[CLIENT_ID] == bindparam("us"), tracking_grants.c.reader_id == bindparam("us")
_with_alliance = tracking_grants.join(alliances, alliances.c.id == tracking_grants.c.alliance_id)
_grants = select(*tracking_grants.c, alliances.c.name.label("alliance"), _both_belong.label("both_belong")).select_from(
    _with_alliance
)
_grant = _grants.where(tracking_grants.c.id == bindparam("grant"), or_(_gives, _receives))
_received_from = _grants.where(_receives, tracking_grants.c.giver_code == bindparam("giver"), _in_force)
_end_live = (
    update(tracking_grants)
    .where(_gives, tracking_grants.c.reader_id == bindparam("reader"), tracking_grants.c.live.is_(True))
    .values(live=None, ended_at=bindparam("now"))
)
_listed = select(shared_numbers.c.number_key, shared_numbers.c.set_up_by, shared_numbers.c.set_up_with).where(
    shared_numbers.c.grant_id == bindparam("grant"), in_param(shared_numbers.c.number_key, "keys")
)
_answered_for = (
    tracking_grants.c.live.is_(True),
    tracking_grants.c.suspended_at.is_(None),
    tracking_grants.c.set_up_by.is_not(None),
)
_answered_grants = _grants.where(_gives, *_answered_for).order_by(tracking_grants.c.id)
_answering_clients = select(tracking_grants.c[CLIENT_ID]).where(*_answered_for).distinct()
_take_over_numbers = (
    update(shared_numbers)
    .where(shared_numbers.c.grant_id == bindparam("grant"))
    .values(set_up_by=bindparam("by"), set_up_with=bindparam("with_token"))
)
_unlist = delete(shared_numbers).where(
    shared_numbers.c.grant_id == bindparam("grant"), in_param(shared_numbers.c.number_key, "keys")
)


async def replace_grant(work: UnitOfWork, giver: int, *, reader_id: int, granted_at: datetime, **values: Any) -> int:
    """End the previous grant to the reader and insert a new one. Return its id.

    Raises `UniqueConflict` beside a concurrent call.
    """
    wide = work.without_tenant_filter(BOTH_NAMED)
    await wide.run(_end_live, us=giver, reader=reader_id, now=granted_at)
    named = {CLIENT_ID: giver, "reader_id": reader_id, "granted_at": granted_at, "live": True}
    return await wide.insert(tracking_grants, **named, **values)


async def get_grant(work: UnitOfWork, grant_id: int, us: int) -> TrackingGrantRow | None:
    """Return a grant given or received, or None."""
    return await work.without_tenant_filter(BOTH_NAMED).first(_grant, TrackingGrantRow, grant=grant_id, us=us)


async def find_grant_in_force(work: UnitOfWork, giver_code: str, us: int, now: datetime) -> TrackingGrantRow | None:
    """Return the active grant of a business to us, or None."""
    return await work.without_tenant_filter(BOTH_NAMED).first(
        _received_from, TrackingGrantRow, giver=giver_code, us=us, now=now
    )


async def update_grant(work: UnitOfWork, grant_id: int, giver: int, **values: Any) -> bool:
    """Update a live grant that we gave. Return False if there is none."""
    ours = and_(
        tracking_grants.c.id == grant_id, tracking_grants.c[CLIENT_ID] == giver, tracking_grants.c.live.is_(True)
    )
    statement = update(tracking_grants).where(ours).values(**values)
    return bool(await work.without_tenant_filter(BOTH_NAMED).run(statement))


async def find_grants(
    work: UnitOfWork,
    us: int,
    now: datetime,
    *,
    direction: str | None,
    alliance_id: int | None,
    in_force: bool | None,
    limit: int,
    offset: int,
) -> tuple[Sequence[TrackingGrantRow], int]:
    """Return a page of grants given or received, newest first, and the total."""
    where = [or_(_gives, _receives) if direction is None else _gives if direction == "given" else _receives]
    if alliance_id is not None:
        where.append(tracking_grants.c.alliance_id == alliance_id)
    asked: dict[str, Any] = {"us": us}
    if in_force is not None:
        where.append(_in_force if in_force else ~_in_force)
        asked["now"] = now
    return await _page(work, where, asked, tracking_grants.c.id.desc(), limit, offset)


async def find_accessible_clients(
    work: UnitOfWork, us: int, now: datetime, limit: int, offset: int
) -> tuple[Sequence[TrackingGrantRow], int]:
    """Return a page of active grants to us, by the giver's code, and the total."""
    asked = {"us": us, "now": now}
    return await _page(work, [_receives, _in_force], asked, tracking_grants.c.giver_code, limit, offset)


async def _page(
    work: UnitOfWork,
    where: Sequence[ColumnElement[bool]],
    asked: Mapping[str, Any],
    order: ColumnElement[Any],
    limit: int,
    offset: int,
) -> tuple[Sequence[TrackingGrantRow], int]:
    wide = work.without_tenant_filter(BOTH_NAMED)
    rows = _grants.where(*where).order_by(order).limit(limit).offset(offset)
    count = select(func.count()).select_from(tracking_grants).where(*where)
    return await wide.all(rows, TrackingGrantRow, **asked), await wide.value(count, **asked)


async def list_clients_with_answered_grants(work: UnitOfWork) -> list[int]:
    """Return the ids of clients with a live grant of a user or token."""
    wide = work.without_tenant_filter("grants of every client are checked in turn")
    return [row.client_id for row in await wide.all(_answering_clients)]


async def list_answered_grants(work: UnitOfWork, giver: int) -> Sequence[TrackingGrantRow]:
    """Return the live grants that a client gave and a user or token answers for."""
    return await work.without_tenant_filter(BOTH_NAMED).all(_answered_grants, TrackingGrantRow, us=giver)


async def suspend_grant(work: UnitOfWork, grant: TrackingGrantRow, at: datetime, reason: str) -> bool:
    """Suspend a grant. Return False if it was changed meanwhile.

    It may have ended, been suspended or been taken over.
    """
    unchanged = and_(
        tracking_grants.c.id == grant.id,
        tracking_grants.c.live.is_(True),
        tracking_grants.c.suspended_at.is_(None),
        tracking_grants.c.set_up_by == grant.set_up_by,
        tracking_grants.c.set_up_with.is_not_distinct_from(grant.set_up_with),
    )
    statement = update(tracking_grants).where(unchanged).values(suspended_at=at, suspended_reason=reason)
    return bool(await work.without_tenant_filter(BOTH_NAMED).run(statement))


async def transfer_shared_numbers(work: UnitOfWork, grant_id: int, by: int | None, with_token: int | None) -> None:
    """Assign every number of a grant to another user or token."""
    await work.run(_take_over_numbers, grant=grant_id, by=by, with_token=with_token)


async def add_shared_numbers(
    work: UnitOfWork, grant_id: int, numbers: Mapping[str, str], set_up: Mapping[str, int | None]
) -> None:
    """Add shared numbers by key; the caller becomes responsible for listed ones too."""
    rows = [
        {"grant_id": grant_id, "number_key": key, "number": number, **set_up} for key, number in sorted(numbers.items())
    ]
    await work.upsert_many(shared_numbers, ("grant_id", "number_key"), rows)


async def remove_shared_numbers(work: UnitOfWork, grant_id: int, keys: Collection[str]) -> None:
    """Remove shared numbers."""
    if keys:
        await work.run(_unlist, grant=grant_id, keys=sorted(keys))


async def find_shared_keys(work: UnitOfWork, grant_id: int, keys: Collection[str]) -> list[SharedNumberRow]:
    """Return those of some keys that are listed. `work` acts for the giver."""
    return await work.all(_listed, SharedNumberRow, grant=grant_id, keys=sorted(keys))


async def find_shared_numbers(work: UnitOfWork, grant_id: int, limit: int, offset: int) -> tuple[Sequence[str], int]:
    """Return a page of a grant's numbers, and the total. `work` acts for the giver."""
    of_grant = shared_numbers.c.grant_id == grant_id
    page = select(shared_numbers.c.number).where(of_grant).order_by(shared_numbers.c.id).limit(limit).offset(offset)
    count = select(func.count()).select_from(shared_numbers).where(of_grant)
    return [row.number for row in await work.all(page)], await work.value(count)


async def insert_alliance_reads(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Record reads under a grant."""
    await work.without_tenant_filter(BOTH_NAMED).insert_many(alliance_reads, rows)


async def find_alliance_reads(
    work: UnitOfWork,
    us: int,
    *,
    direction: str,
    business: str | None,
    tracking_number: str | None,
    since: datetime | None,
    limit: int,
    offset: int,
) -> tuple[Sequence[AllianceReadRow], int]:
    """Return a page of reads, newest first, and the total.

    Of our parcels, or by us. The total is capped at `MAX_COUNT` + 1.
    """
    reads, given = alliance_reads.c, direction == "given"
    where = [(reads[CLIENT_ID] if given else reads.reader_id) == us]
    if business is not None:
        where.append((reads.reader_code if given else reads.giver_code) == business)
    if tracking_number is not None:
        where.append(reads.tracking_number == tracking_number)
    if since is not None:
        where.append(reads.read_at >= since)
    wide = work.without_tenant_filter(BOTH_NAMED)
    page = select(alliance_reads).where(*where).order_by(reads.id.desc()).limit(limit).offset(offset)
    counted = select(reads.id).where(*where).limit(MAX_COUNT + 1).subquery()
    return await wide.all(page, AllianceReadRow), await wide.value(select(func.count()).select_from(counted))
