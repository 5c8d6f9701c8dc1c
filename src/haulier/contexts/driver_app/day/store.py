"""Table of drivers' answers to their routes: accepted or declined."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Column, String, UniqueConstraint, bindparam, select

from haulier.contexts.driver_app.day.rules import RouteAnswerValue
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX

route_answers = tenant_table(
    "rider_answer",
    Column("route_id", Id, nullable=False),
    Column("driver_id", Id, nullable=False),
    Column("answer", String(10), nullable=False),
    Column("reason", String(REASON_MAX)),
    Column("at", UTCDateTime, nullable=False),
    Column("recorded_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "route_id", "driver_id"),
)
personal_data(
    route_answers,
    RecordKind.DRIVER_EVENTS,
    by={"driver_id": PersonKey.DRIVER},
    erased={"reason": None},
    plain=("answer",),
)


class RouteAnswerRow(Row):
    """A driver's answer to a route."""

    route_id: int
    driver_id: int
    answer: str
    reason: str | None
    at: datetime


_answer = select(route_answers).where(
    route_answers.c.route_id == bindparam("route"), route_answers.c.driver_id == bindparam("driver")
)
_answers_of_routes = (
    select(route_answers)
    .where(in_param(route_answers.c.route_id, "ids"))
    .order_by(route_answers.c.at, route_answers.c.id)
)


async def get_route_answer(work: UnitOfWork, route_id: int, driver_id: int) -> RouteAnswerRow | None:
    """Return a driver's answer to a route, or None."""
    return await work.first(_answer, RouteAnswerRow, route=route_id, driver=driver_id)


async def list_route_answers(work: UnitOfWork, route_ids: Collection[int]) -> Sequence[RouteAnswerRow]:
    """Return the drivers' answers to these routes, oldest first."""
    return await work.all(_answers_of_routes, RouteAnswerRow, ids=list(route_ids)) if route_ids else []


async def upsert_route_answer(
    work: UnitOfWork,
    route_id: int,
    driver_id: int,
    answer: RouteAnswerValue,
    *,
    at: datetime,
    now: datetime,
    reason: str | None = None,
) -> None:
    """Write what a driver answers to a route, in place of an earlier answer."""
    values = {"answer": answer, "reason": reason, "at": at, "recorded_at": now}
    await work.upsert(route_answers, ("route_id", "driver_id"), route_id=route_id, driver_id=driver_id, **values)
