"""What drivers said to the routes they were given: accepted or declined."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Column, String, UniqueConstraint, bindparam, select, update

from haulier.contexts.dispatch.fields import REASON_MAX
from haulier.kernel.data.statement import among
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.work import Work

answers = tenant_table(
    "rider_answer",
    Column("route_id", Id, nullable=False),
    Column("driver_id", Id, nullable=False),
    Column("answer", String(10), nullable=False),
    Column("reason", String(REASON_MAX)),
    Column("at", UTCDateTime, nullable=False),
    Column("recorded_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "route_id", "driver_id"),
)
ACCEPTED, DECLINED = "accepted", "declined"

_this = (answers.c.route_id == bindparam("route"), answers.c.driver_id == bindparam("driver"))
_one = select(answers).where(*_this)
_of_routes = select(answers).where(among(answers.c.route_id, "ids")).order_by(answers.c.at, answers.c.id)


async def one(work: Work, route_id: int, driver_id: int) -> Any:
    """What a driver said to a route, or None."""
    return await work.first(_one, route=route_id, driver=driver_id)


async def of_routes(work: Work, route_ids: Collection[int]) -> list[Any]:
    """What drivers said to these routes, oldest first."""
    return await work.all(_of_routes, ids=list(route_ids)) if route_ids else []


async def say(
    work: Work, route_id: int, driver_id: int, answer: str, *, at: datetime, now: datetime, reason: str | None = None
) -> None:
    """Write what a driver says to a route, in place of what they said before."""
    values = {"answer": answer, "reason": reason, "at": at, "recorded_at": now}
    if not await work.run(update(answers).where(*_this).values(**values), route=route_id, driver=driver_id):
        await work.insert(answers, route_id=route_id, driver_id=driver_id, **values)
