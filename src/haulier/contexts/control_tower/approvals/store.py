"""Tables of approvals. A proposed request is stored as the bytes that will run."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Index, Integer, LargeBinary, Select, String, bindparam, func, select, update
from sqlalchemy import UniqueConstraint as Unique

from haulier.contexts.control_tower.approvals.contract import NOTE_MAX
from haulier.contexts.control_tower.approvals.rules import ApprovalStatus, ClientApprovalPolicy
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

pending_writes = tenant_table(
    "pending_write",
    Column("operation", String(100), nullable=False),
    Column("request", LargeBinary, nullable=False),
    Column("note", String(NOTE_MAX)),
    Column("preview", Json, nullable=False),
    Column("status", String(10), nullable=False),
    Column("proposed_by", Id, nullable=False),
    Column("token_id", Id),
    Column("scopes", Json, nullable=False),
    Column("language", String(10), nullable=False),
    Column("proposed_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("reviewed_by", Id),
    Column("reviewed_at", UTCDateTime),
    Column("review_note", String(NOTE_MAX)),
    Column("answer", Json),
    Index("ix_pending_write_status", "client_id", "status", "id"),
)
"""`request` is the JSON that the operation reads; `scopes` are the proposer's at that time."""
personal_data(pending_writes, RecordKind.PROPOSED_WRITES, by={"proposed_by": PersonKey.USER}, erased={"note": None})
retained(
    RecordKind.PROPOSED_WRITES,
    pending_writes.c.proposed_at,
    only=pending_writes.c.status != ApprovalStatus.PENDING.value,
    default_days=365,
    minimum_days=30,
)

approval_policies = tenant_table(
    "approval_policy",
    Column("own_allowed", Boolean, nullable=False),
    Column("expires_after_h", Integer, nullable=False),
    Unique("client_id"),
)


class PendingWriteRow(Row):
    """A proposed write."""

    id: int
    operation: str
    request: bytes
    note: str | None
    preview: dict[str, Any]
    status: str
    proposed_by: int
    token_id: int | None
    scopes: list[str]
    language: str
    proposed_at: datetime
    expires_at: datetime
    reviewed_by: int | None
    reviewed_at: datetime | None
    review_note: str | None
    answer: dict[str, Any] | None


class StandingRow(Row):
    """Status of a proposed write."""

    id: int
    status: str
    expires_at: datetime


class PolicyRow(Row):
    """The approval policy of a client."""

    own_allowed: bool
    expires_after_h: int


_one = select(pending_writes).where(pending_writes.c.id == bindparam("write"))
_locked = _one.with_for_update()
_end = (
    update(pending_writes)
    .where(pending_writes.c.id == bindparam("write"), pending_writes.c.status == ApprovalStatus.PENDING.value)
    .values(
        status=bindparam("ending"),
        reviewed_by=bindparam("reviewer"),
        reviewed_at=bindparam("at"),
        review_note=bindparam("note"),
        answer=bindparam("final_answer", type_=Json),
    )
)
_renew = (
    update(pending_writes)
    .where(pending_writes.c.id == bindparam("write"), pending_writes.c.status == ApprovalStatus.PENDING.value)
    .values(preview=bindparam("new_preview", type_=Json))
)
_standings = select(pending_writes.c.id, pending_writes.c.status, pending_writes.c.expires_at).where(
    in_param(pending_writes.c.id, "ids")
)
_policy = select(approval_policies.c.own_allowed, approval_policies.c.expires_after_h)


async def insert_pending_write(work: UnitOfWork, **values: Any) -> int:
    """Write a pending write. Returns its id."""
    return await work.insert(pending_writes, **values, status=ApprovalStatus.PENDING.value)


async def get_pending_write(work: UnitOfWork, id: int, *, lock: bool = False) -> PendingWriteRow | None:
    """Return a proposed write of this client, or None."""
    return await work.first(_locked if lock else _one, PendingWriteRow, write=id)


async def end_pending_write(
    work: UnitOfWork,
    id: int,
    status: ApprovalStatus,
    at: datetime,
    *,
    by: int | None = None,
    note: str | None = None,
    answer: Any = None,
) -> int:
    """Decide a pending write. Return 0 if it was already decided, else 1."""
    return await work.run(_end, write=id, ending=status.value, reviewer=by, at=at, note=note, final_answer=answer)


async def update_preview(work: UnitOfWork, id: int, preview: Any) -> None:
    """Replace the preview of a pending write."""
    await work.run(_renew, write=id, new_preview=preview)


async def list_pending_write_rows(
    work: UnitOfWork, status: ApprovalStatus, now: datetime, *, proposed_by: int | None, limit: int, offset: int
) -> tuple[Sequence[PendingWriteRow], int]:
    """Return a page of writes with a status, newest first, and the total."""
    params: dict[str, Any] = {"now": now} if status in {ApprovalStatus.PENDING, ApprovalStatus.EXPIRED} else {}
    if proposed_by is not None:
        params["proposer"] = proposed_by
    listed = _of_status(select(pending_writes), status, mine=proposed_by is not None).order_by(
        pending_writes.c.id.desc()
    )
    rows = await work.all(
        listed.limit(bindparam("page_size")).offset(bindparam("skipped")),
        PendingWriteRow,
        **params,
        page_size=limit,
        skipped=offset,
    )
    counted = _of_status(select(func.count()).select_from(pending_writes), status, mine=proposed_by is not None)
    return rows, await work.value(counted, **params)


async def list_standings(work: UnitOfWork, ids: Collection[int]) -> Sequence[StandingRow]:
    """Return the status of proposed writes."""
    return await work.all(_standings, StandingRow, ids=list(ids))


async def count_pending_writes(work: UnitOfWork, now: datetime) -> int:
    """Return the number of pending writes within their time."""
    counted = select(func.count()).select_from(pending_writes)
    return await work.value(_of_status(counted, ApprovalStatus.PENDING, mine=False), now=now)


def _of_status(statement: Select[Any], status: ApprovalStatus, *, mine: bool) -> Select[Any]:
    """Filter by status; pending writes past their time count as expired."""
    if mine:
        statement = statement.where(pending_writes.c.proposed_by == bindparam("proposer"))
    waiting, over = (
        pending_writes.c.status == ApprovalStatus.PENDING.value,
        pending_writes.c.expires_at <= bindparam("now"),
    )
    match status:
        case ApprovalStatus.PENDING:
            return statement.where(waiting, ~over)
        case ApprovalStatus.EXPIRED:
            return statement.where((pending_writes.c.status == status.value) | (waiting & over))
        case _:
            return statement.where(pending_writes.c.status == status.value)


async def get_client_policy(work: UnitOfWork) -> ClientApprovalPolicy:
    """Return the approval policy of this client."""
    row = await work.first(_policy, PolicyRow)
    return ClientApprovalPolicy(bool(row.own_allowed), row.expires_after_h) if row else ClientApprovalPolicy()


async def save_client_policy(work: UnitOfWork, policy: ClientApprovalPolicy) -> None:
    """Write the policy of this client."""
    await work.upsert(approval_policies, (), own_allowed=policy.own_allowed, expires_after_h=policy.expires_after_h)
