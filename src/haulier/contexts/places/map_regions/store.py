"""Table of region tasks."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any

from sqlalchemy import String, bindparam, delete, select

from haulier.contexts.places.map_regions.rules import OPEN_STATES
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.unit_of_work import UnitOfWork

KEPT = timedelta(days=90)


class MapRegionTaskRow(Record, table="map_region_task"):
    """An installation or removal of a map region.

    `source` is a path on the server; `fault` and `remarks` have codes and parameters of messages.
    """

    action: Annotated[str, String(10)]
    region: Annotated[str, String(63)]
    title: Annotated[str | None, String(100)]
    source: Annotated[str | None, String(1000)]
    state: Annotated[str, String(10)]
    step: Annotated[str | None, String(20)]
    percent: int | None
    objects: int | None
    fault: dict[str, Any] | None
    remarks: list[dict[str, Any]]
    created_by: Reference | None
    created_at: datetime
    finished_at: datetime | None


tasks = MapRegionTaskRow.table
# Names of regions and files of the operator: nothing in them is about a person.
plain_columns(tasks, "action", "region", "title", "source", "state", "step", "fault", "remarks")

_open = select(tasks).where(tasks.c.region == bindparam("region"), tasks.c.state.in_(OPEN_STATES)).limit(1)
_in_state = tasks.c.state == bindparam("state")
_old = delete(tasks).where(tasks.c.finished_at < bindparam("before"))


async def find_open_task(work: UnitOfWork, region: str) -> MapRegionTaskRow | None:
    """Return the queued or running task of a region."""
    return await work.first(_open, MapRegionTaskRow, region=region)


async def list_tasks(
    work: UnitOfWork, state: str | None, *, limit: int, offset: int
) -> tuple[Sequence[MapRegionTaskRow], int]:
    """Return a page of tasks, newest first, and their number."""
    clauses, params = ([_in_state], {"state": state}) if state else ([], {})
    return await MapRegionTaskRow.list_page(
        work, *clauses, order_by=[tasks.c.id.desc()], limit=limit, offset=offset, **params
    )


async def delete_old_tasks(work: UnitOfWork, before: datetime) -> None:
    """Delete tasks that ended before a moment."""
    await work.run(_old, before=before)
