"""Periodic tasks: small recurring work, such as deleting old rows.

Each round is run by one of the serving processes.

Each process schedules a task by its own clock. The first one claims the round, and the others skip it. A round is
lost if its process dies, and none runs without a server, so a periodic task must be safe to repeat and to miss.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import Column, String, bindparam
from sqlalchemy.dialects.postgresql import insert

from haulier.kernel.background.names import handler_name
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import UTCDateTime, shared_table
from haulier.kernel.data.unit_of_work import UnitOfWork

periodic_rounds = shared_table(
    "periodic_round",
    Column("task", String(200), nullable=False, unique=True),
    Column("next_at", UTCDateTime, nullable=False),
    machinery=True,
)
plain_columns(periodic_rounds, "task")
_first = insert(periodic_rounds).values(
    task=bindparam("task"), next_at=bindparam("next_at", type_=periodic_rounds.c.next_at.type)
)
_claim = _first.on_conflict_do_update(
    index_elements=["task"],
    set_={"next_at": _first.excluded.next_at},
    where=periodic_rounds.c.next_at <= bindparam("now", type_=periodic_rounds.c.next_at.type),
).returning(periodic_rounds.c.id)

PeriodicFunction = Callable[[Any], Awaitable[None]]
"""`async (app: Application)`. Untyped, because an application holds its periodic tasks."""


class PeriodicTask(Struct, frozen=True):
    """A periodic task and its interval."""

    name: str
    every: timedelta
    handler: PeriodicFunction


def periodic(every: timedelta) -> Callable[[PeriodicFunction], PeriodicTask]:
    """Declare `async (app)` to run periodically.

    The first run is one interval after the start.
    """

    def declare(handler: PeriodicFunction) -> PeriodicTask:
        return PeriodicTask(handler_name(handler), every, handler)

    return declare


async def claim_round(work: UnitOfWork, task: PeriodicTask, now: datetime) -> bool:
    """Claim the due round of a task.

    Returns False if another process claimed it less than `every` ago.
    """
    return await work.value(_claim, task=task.name, next_at=now + task.every, now=now) is not None
