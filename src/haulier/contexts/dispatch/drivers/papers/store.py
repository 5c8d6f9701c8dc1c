"""The tables of drivers' papers and of what the business asks of them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    Index,
    Integer,
    Select,
    String,
    UniqueConstraint,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)

from haulier.contexts.dispatch.drivers.papers.contract import NUMBER_MAX
from haulier.contexts.dispatch.drivers.papers.rules import PaperState, Verdict
from haulier.contexts.dispatch.drivers.store import drivers
from haulier.contexts.dispatch.fields import NAME_MAX, REASON_MAX
from haulier.kernel.data.statement import among
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.work import Conflict, Work

papers = tenant_table(
    "driver_document",
    Column("driver_id", Id, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("title", String(NAME_MAX)),
    Column("number", String(NUMBER_MAX)),
    Column("issued_on", Date),
    Column("expires_on", Date),
    Column("file_id", Id),
    Column("verdict", String(10), nullable=False),
    Column("reason", String(REASON_MAX)),
    Column("uploaded_by", Id),
    Column("uploaded_at", UTCDateTime, nullable=False),
    Column("reviewed_by", Id),
    Column("reviewed_at", UTCDateTime),
    Column("told_soon_at", UTCDateTime),
    Column("told_over_at", UTCDateTime),
    Index(None, "client_id", "driver_id"),
    Index(None, "client_id", "expires_on"),
)
"""`told_soon_at` and `told_over_at` are when it was announced that the paper ends soon, and that it has ended."""

policies = tenant_table(
    "driver_policy",
    Column("required", Json, nullable=False),
    Column("blocks_start", Boolean, nullable=False),
    Column("notice_days", Integer, nullable=False),
    Column("registration_open", Boolean, nullable=False),
    UniqueConstraint("client_id"),
)

_seen = select(papers, drivers.c.name.label("driver_name")).join(drivers, drivers.c.id == papers.c.driver_id)
_one = _seen.where(papers.c.id == bindparam("paper"))
_of_drivers = select(papers).where(among(papers.c.driver_id, "drivers")).order_by(papers.c.id)
_longer = papers.alias("longer")
_outlived = (
    exists()
    .where(
        _longer.c.driver_id == papers.c.driver_id,
        _longer.c.kind == papers.c.kind,
        _longer.c.verdict == Verdict.VALID.value,
        or_(_longer.c.expires_on.is_(None), _longer.c.expires_on > papers.c.expires_on),
    )
    .correlate(papers)
)
_holds = or_(papers.c.expires_on.is_(None), papers.c.expires_on >= bindparam("today"))
_valid = papers.c.verdict == Verdict.VALID.value
_STATES: Mapping[PaperState, tuple[Any, ...]] = {
    PaperState.PENDING: (papers.c.verdict == Verdict.PENDING.value,),
    PaperState.REJECTED: (papers.c.verdict == Verdict.REJECTED.value,),
    PaperState.VALID: (_valid, _holds),
    PaperState.EXPIRED: (_valid, papers.c.expires_on < bindparam("today")),
}
_FILTERS: Mapping[str, tuple[Any, ...]] = {
    "driver": (papers.c.driver_id == bindparam("driver"),),
    "kind": (papers.c.kind == bindparam("kind"),),
    "until": (_valid, papers.c.expires_on >= bindparam("today"), papers.c.expires_on <= bindparam("until"), ~_outlived),
    "contractor": (drivers.c.contractor_id == bindparam("contractor"),),
    "user": (drivers.c.user_id == bindparam("user"),),
}
_policy = select(policies)
_policy_at = _policy.where(policies.c.client_id == bindparam("business"))


async def add(work: Work, **values: Any) -> int:
    """Write a paper. Returns its id."""
    return await work.insert(papers, **values)


async def add_many(work: Work, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write papers, in one statement."""
    await work.insert_many(papers, rows)


async def one(work: Work, paper_id: int, *, lock: bool = False) -> Any:
    """A paper of this client with its driver's name, or None."""
    return await work.first(_one.with_for_update(of=papers) if lock else _one, paper=paper_id)


async def of_drivers(work: Work, driver_ids: Collection[int]) -> Sequence[Any]:
    """Every paper of some drivers."""
    return await work.all(_of_drivers, drivers=list(driver_ids)) if driver_ids else []


async def change(work: Work, paper_id: int, **values: Any) -> None:
    """Change columns of a paper."""
    await work.run(update(papers).where(papers.c.id == bindparam("paper")).values(**values), paper=paper_id)


async def remove(work: Work, paper_id: int) -> None:
    """Forget a paper."""
    await work.run(delete(papers).where(papers.c.id == bindparam("paper")), paper=paper_id)


async def outlived(work: Work, paper_id: int) -> bool:
    """Whether another paper of the same driver and kind holds for longer."""
    found = select(papers.c.id).where(papers.c.id == bindparam("paper"), _outlived)
    return await work.first(found, paper=paper_id) is not None


async def page(
    work: Work, filters: Mapping[str, Any], state: PaperState | None, today: date, *, limit: int, offset: int
) -> tuple[Sequence[Any], int]:
    """A page of papers, what ends first before the rest, and how many match.

    Filters: driver, kind, until (a day), contractor, user.
    """
    narrowed = [clause for name in filters for clause in _FILTERS[name]] + list(_STATES[state] if state else ())
    params = dict(filters)
    if "until" in filters or state in {PaperState.VALID, PaperState.EXPIRED}:
        params["today"] = today
    counted = select(func.count()).select_from(papers.join(drivers, drivers.c.id == papers.c.driver_id))
    listed: Select[Any] = _seen.where(*narrowed).order_by(
        papers.c.expires_on.is_(None), papers.c.expires_on, papers.c.id
    )
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, **params, page_size=limit, skipped=offset)
    return rows, await work.value(counted.where(*narrowed), **params)


async def told(work: Work, paper_id: int, column: str, at: datetime) -> None:
    """Note that the end of a paper was announced; `column` is `told_soon_at` or `told_over_at`."""
    await change(work, paper_id, **{column: at})


async def policy_at(work: Work, client_id: int) -> Any:
    """What some client asks of its drivers, or None: for somebody who applies there."""
    return await work.unwalled("an applicant is nobody's yet").first(_policy_at, business=client_id)


async def policy(work: Work) -> Any:
    """What this client asks of its drivers, or None when it never said."""
    return await work.first(_policy)


async def put_policy(work: Work, **values: Any) -> None:
    """Write the whole of what this client asks of its drivers."""
    change = update(policies).values(**values)
    if await work.run(change):
        return
    try:
        async with work.savepoint():
            await work.insert(policies, **values)
    except Conflict:  # somebody else was first at the same moment
        await work.run(change)
