"""The tables of builds and of the steps by which their plans got better."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import Boolean, Column, Date, Index, Integer, Select, String, bindparam, func, select, update

from haulier.kernel.background import job_table
from haulier.kernel.data.personal_data import RecordKind, retained
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, Json, UTCDateTime, seconds_in, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

builds = tenant_table(
    "route_build",
    Column("day", Date, nullable=False),
    Column("planner_id", Id),
    Column("created_by", Id),
    Column("account", String(20), nullable=False),
    Column("state", String(12), nullable=False),
    Column("commits", Boolean, nullable=False),
    Column("question", Json, nullable=False, info=seconds_in("shift")),
    Column("refused", Json, nullable=False),
    Column("orders", Integer, nullable=False),
    Column("plan", Json),
    Column("sums", Json),
    Column("steps", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("job_id", Id, info=VOLATILE),
    Column("fault", Json),
    Column("route_ids", Json),
    Column("created_at", UTCDateTime, nullable=False),
    Column("started_at", UTCDateTime),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("finished_at", UTCDateTime),
    Column("committed_at", UTCDateTime),
    Column("committed_by", Id),
    Index(None, "client_id", "day"),
    Index(None, "client_id", "planner_id"),
)


class BuildStepRow(Record, table="route_build_step", items=[Index(None, "client_id", "build_id", "number")]):
    """A step by which a plan got better."""

    build_id: Reference
    number: int
    at: datetime
    state: Annotated[str, String(12)]
    sums: dict[str, Any] | None
    routes: list[dict[str, Any]] | None


build_steps = BuildStepRow.table
retained(
    RecordKind.ROUTE_PLANS,
    builds.c.created_at,
    children=(build_steps.c.build_id,),
    default_days=30,
)


class BuildHeadRow(Row):
    """A build without its input and plan, with the state of its job."""

    id: int
    day: date
    planner_id: int | None
    created_by: int | None
    account: str
    state: str
    commits: bool
    refused: list[dict[str, Any]]
    orders: int
    sums: dict[str, Any] | None
    steps: int
    attempt: int
    job_id: int | None
    fault: dict[str, Any] | None
    route_ids: list[int] | None
    created_at: datetime
    started_at: datetime | None
    updated_at: datetime
    finished_at: datetime | None
    committed_at: datetime | None
    job_state: str | None


class BuildRow(BuildHeadRow):
    """A build. `question` is its planning input."""

    question: dict[str, Any]
    plan: dict[str, Any] | None


_HEAD = [column for column in builds.c if column.name not in ("question", "plan")]
_job_state = job_table.c.state.label("job_state")
_joined = builds.outerjoin(job_table, job_table.c.id == builds.c.job_id)
_build = select(builds, _job_state).select_from(_joined).where(builds.c.id == bindparam("build"))
_locked = select(builds.c.id).where(builds.c.id == bindparam("build")).with_for_update()
_day_locked = select(builds.c.id).where(builds.c.day == bindparam("on_day")).order_by(builds.c.id).with_for_update()
_state = select(builds.c.state).where(builds.c.id == bindparam("build"))
_listed = select(*_HEAD, _job_state).select_from(_joined)
_counted = select(func.count()).select_from(builds)
_FILTERS = {
    "on_day": builds.c.day == bindparam("on_day"),
    "standing": builds.c.state == bindparam("standing"),
    "planner": builds.c.planner_id == bindparam("planner"),
}
_change_running = update(builds).where(
    builds.c.id == bindparam("build"),
    builds.c.state == "running",
    builds.c.attempt == bindparam("this_attempt"),
)
_improved = _change_running.values(
    plan=bindparam("new_plan", type_=Json),
    sums=bindparam("new_sums", type_=Json),
    steps=bindparam("count"),
    updated_at=bindparam("now"),
)
_steps = (
    select(build_steps)
    .where(build_steps.c.build_id == bindparam("build"), build_steps.c.number > bindparam("after"))
    .order_by(build_steps.c.number)
    .limit(bindparam("most"))
)


async def insert_build(work: UnitOfWork, **values: Any) -> int:
    """Write a build. Returns the id."""
    return await work.insert(builds, attempt=0, **values)


async def update_build(work: UnitOfWork, build_id: int, **values: Any) -> None:
    """Change columns of a build."""
    await work.run(update(builds).where(builds.c.id == bindparam("build")).values(**values), build=build_id)


async def get_build(work: UnitOfWork, build_id: int, *, lock: bool = False) -> BuildRow | None:
    """A build of this client with the state of its job, or None."""
    if lock:
        await work.all(_locked, build=build_id)
    return await work.first(_build, BuildRow, build=build_id)


async def lock_build_day(work: UnitOfWork, day: date) -> None:
    """Lock the builds of a day, so that its plans are committed one after the other.

    Otherwise, two commits could give a driver two routes.
    """
    await work.all(_day_locked, on_day=day)


async def get_build_state(work: UnitOfWork, build_id: int) -> str | None:
    """The state of a build."""
    return await work.value(_state, build=build_id)


async def find_builds(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[BuildHeadRow], int]:
    """Return a page of builds, newest first, without questions and plans.

    Filters: the keys of `_FILTERS`.
    """
    listed = _filtered_builds(_listed, filters).order_by(builds.c.id.desc())
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, BuildHeadRow, **filters, page_size=limit, skipped=offset)
    return rows, await work.value(_filtered_builds(_counted, filters), **filters)


async def update_best_plan(work: UnitOfWork, build_id: int, attempt: int, **values: Any) -> bool:
    """Store a better plan: `new_plan`, `new_sums`, `count`, `now`.

    Returns False if this attempt no longer runs.
    """
    return bool(await work.run(_improved, build=build_id, this_attempt=attempt, **values))


async def finish_build(work: UnitOfWork, build_id: int, attempt: int, **values: Any) -> bool:
    """Write how a running attempt ended. False when it no longer runs."""
    return bool(await work.run(_change_running.values(**values), build=build_id, this_attempt=attempt))


async def list_build_steps(work: UnitOfWork, build_id: int, number: int, most: int) -> Sequence[BuildStepRow]:
    """The steps of a build after a number, in order."""
    return await work.all(_steps, BuildStepRow, build=build_id, after=number, most=most)


def _filtered_builds(statement: Select[Any], filters: Mapping[str, Any]) -> Select[Any]:
    return statement.where(*(_FILTERS[name] for name in filters))
