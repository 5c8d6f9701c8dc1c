"""The tables of approvals. What was proposed is kept as the bytes that will run, and never changed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Index, Integer, LargeBinary, Select, String, bindparam, func, select, update
from sqlalchemy import UniqueConstraint as Unique

from haulier.contexts.access.accounts.store.tables import members, tokens, users
from haulier.contexts.access.approvals.contract import NOTE_MAX
from haulier.contexts.access.approvals.rules import ApprovalStatus, Policy
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.work import Conflict, Work

writes = tenant_table(
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
"""`request` is the JSON that the operation reads; `scopes` is what the proposer could do at that time."""

policies = tenant_table(
    "approval_policy",
    Column("own_allowed", Boolean, nullable=False),
    Column("expires_after_h", Integer, nullable=False),
    Unique("client_id"),
)

_one = select(writes).where(writes.c.id == bindparam("write"))
_locked = _one.with_for_update()
_end = (
    update(writes)
    .where(writes.c.id == bindparam("write"), writes.c.status == ApprovalStatus.PENDING.value)
    .values(
        status=bindparam("ending"),
        reviewed_by=bindparam("reviewer"),
        reviewed_at=bindparam("at"),
        review_note=bindparam("said"),
        answer=bindparam("answered", type_=Json),
    )
)
_renew = (
    update(writes)
    .where(writes.c.id == bindparam("write"), writes.c.status == ApprovalStatus.PENDING.value)
    .values(preview=bindparam("seen", type_=Json))
)
_proposer = (
    select(
        users.c.id,
        users.c.name,
        users.c.account,
        users.c.active,
        users.c.hidden_prices,
        members.c.scopes.label("granted"),
        tokens.c.kind,
        tokens.c.revoked_at,
    )
    .outerjoin(members, members.c.user_id == users.c.id)
    .outerjoin(tokens, (tokens.c.id == bindparam("token")) & (tokens.c.user_id == users.c.id))
    .where(users.c.id == bindparam("user"))
)
_policy = select(policies.c.own_allowed, policies.c.expires_after_h)
_set_policy = update(policies).values(own_allowed=bindparam("own"), expires_after_h=bindparam("hours"))


async def add(work: Work, **values: Any) -> int:
    """Write a pending write. Returns its id."""
    return await work.insert(writes, **values, status=ApprovalStatus.PENDING.value)


async def one(work: Work, id: int, *, lock: bool = False) -> Any:
    """A proposed write of this client, or None."""
    return await work.first(_locked if lock else _one, write=id)


async def end(
    work: Work,
    id: int,
    status: ApprovalStatus,
    at: datetime,
    *,
    by: int | None = None,
    note: str | None = None,
    answer: Any = None,
) -> int:
    """End the wait of a pending write. Returns 0 when it had ended before, else 1."""
    return await work.run(_end, write=id, ending=status.value, reviewer=by, at=at, said=note, answered=answer)


async def renew(work: Work, id: int, preview: Any) -> None:
    """Keep a newer preview of a pending write."""
    await work.run(_renew, write=id, seen=preview)


async def proposer(work: Work, user_id: int, token_id: int | None) -> Any:
    """Whoever proposed, as they are now, and what became of the token they proposed with; None for nobody."""
    return await work.first(_proposer, user=user_id, token=token_id or 0)


async def page(
    work: Work, status: ApprovalStatus, now: datetime, *, proposed_by: int | None, limit: int, offset: int
) -> tuple[Sequence[Any], int]:
    """A page of the writes that stand so now, newest first, and how many there are in all."""
    params: dict[str, Any] = {"now": now} if status in {ApprovalStatus.PENDING, ApprovalStatus.EXPIRED} else {}
    if proposed_by is not None:
        params["proposer"] = proposed_by
    listed = _standing(select(writes), status, mine=proposed_by is not None).order_by(writes.c.id.desc())
    rows = await work.all(
        listed.limit(bindparam("page_size")).offset(bindparam("skipped")), **params, page_size=limit, skipped=offset
    )
    counted = _standing(select(func.count()).select_from(writes), status, mine=proposed_by is not None)
    return rows, await work.value(counted, **params)


def _standing(statement: Select[Any], status: ApprovalStatus, *, mine: bool) -> Select[Any]:
    """Those of a status; a pending one whose time has passed counts as expired, whether or not that was noted yet."""
    if mine:
        statement = statement.where(writes.c.proposed_by == bindparam("proposer"))
    waiting, over = writes.c.status == ApprovalStatus.PENDING.value, writes.c.expires_at <= bindparam("now")
    match status:
        case ApprovalStatus.PENDING:
            return statement.where(waiting, ~over)
        case ApprovalStatus.EXPIRED:
            return statement.where((writes.c.status == status.value) | (waiting & over))
        case _:
            return statement.where(writes.c.status == status.value)


async def policy(work: Work) -> Policy:
    """What this client allows."""
    row = await work.first(_policy)
    return Policy(bool(row.own_allowed), row.expires_after_h) if row else Policy()


async def set_policy(work: Work, policy: Policy) -> None:
    """Write down what this client allows."""
    values = {"own": policy.own_allowed, "hours": policy.expires_after_h}
    if await work.run(_set_policy, **values):
        return
    try:
        async with work.savepoint():
            await work.insert(policies, own_allowed=policy.own_allowed, expires_after_h=policy.expires_after_h)
    except Conflict:
        await work.run(_set_policy, **values)
