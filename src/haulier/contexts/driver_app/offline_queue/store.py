"""The journal of what devices told: every event once, and what became of it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, String, UniqueConstraint, bindparam, delete, select, update

from haulier.contexts.driver_app.fields import EVENT_ID_MAX
from haulier.contexts.driver_app.offline_queue.rules import DeviceEventStatus, DeviceEventType, QueuedDeviceEvent
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

WAITING_MAX = 1_000
"""So many waiting events of a driver are tried in one call, those that happened first."""

device_events = tenant_table(
    "rider_event",
    Column("driver_id", Id, nullable=False),
    Column("event_id", String(EVENT_ID_MAX), nullable=False),
    Column("after", String(EVENT_ID_MAX)),
    Column("kind", String(20), nullable=False),
    Column("route_id", Id, nullable=False),
    Column("occurred_at", UTCDateTime, nullable=False),
    Column("received_at", UTCDateTime, nullable=False),
    Column("settled_at", UTCDateTime),
    Column("fate", String(10), nullable=False),
    Column("code", String(64)),
    Column("params", Json),
    Column("body", Json, nullable=False),
    UniqueConstraint("client_id", "driver_id", "event_id"),
    Index(None, "client_id", "driver_id", "fate"),
)
"""`code` and `params` are why an event was refused, or what it waits for, as a message of the catalogues."""

_mine = device_events.c.driver_id == bindparam("driver")
_some = select(device_events.c.event_id, device_events.c.fate, device_events.c.code, device_events.c.params).where(
    _mine, in_param(device_events.c.event_id, "ids")
)
_waiting = (
    select(device_events)
    .where(_mine, device_events.c.fate == DeviceEventStatus.WAITING)
    .order_by(device_events.c.occurred_at, device_events.c.id)
    .limit(WAITING_MAX)
)
_applied_returns = select(device_events).where(
    _mine,
    device_events.c.fate == DeviceEventStatus.APPLIED,
    device_events.c.kind == DeviceEventType.RETURN_TO_DEPOT,
    in_param(device_events.c.route_id, "routes"),
)
_settle = (
    update(device_events)
    .where(_mine, device_events.c.event_id == bindparam("event"))
    .values(
        fate=bindparam("new_fate"),
        code=bindparam("new_code"),
        params=bindparam("new_params", type_=Json()),
        settled_at=bindparam("at", type_=UTCDateTime()),
    )
)
_forget = delete(device_events).where(device_events.c.settled_at < bindparam("before"))


async def get_known_events(work: UnitOfWork, driver_id: int, event_ids: Collection[str]) -> dict[str, Any]:
    """What became of those of these events that were told before."""
    if not event_ids:
        return {}
    return {row.event_id: row for row in await work.all(_some, driver=driver_id, ids=sorted(set(event_ids)))}


async def insert_device_events(work: UnitOfWork, driver_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write new events, which wait for their turn. Raises `Conflict` for one that was told before."""
    await work.insert_many(
        device_events, [{"driver_id": driver_id, "fate": DeviceEventStatus.WAITING, **row} for row in rows]
    )


async def list_waiting_events(work: UnitOfWork, driver_id: int) -> list[QueuedDeviceEvent]:
    """A driver's events that still wait."""
    return [_queued_device_event(row) for row in await work.all(_waiting, driver=driver_id)]


async def list_applied_returns(work: UnitOfWork, driver_id: int, route_ids: Collection[int]) -> list[QueuedDeviceEvent]:
    """The returns to the depot that were applied on these routes, to be gone through again."""
    if not route_ids:
        return []
    rows = await work.all(_applied_returns, driver=driver_id, routes=sorted(route_ids))
    return [_queued_device_event(row, again=True) for row in rows]


async def update_event_verdicts(
    work: UnitOfWork, driver_id: int, rows: Sequence[Mapping[str, Any]], now: datetime
) -> None:
    """Write what became of events: event, new_fate, new_code, new_params."""
    await work.run_many(
        _settle,
        [
            {"driver": driver_id, "at": now if row["new_fate"] != DeviceEventStatus.WAITING else None, **row}
            for row in rows
        ],
    )


async def delete_settled_events(work: UnitOfWork, before: datetime) -> int:
    """Delete the client's events that were settled before an instant. Returns how many."""
    return await work.run(_forget, before=before)


def _queued_device_event(row: Any, *, again: bool = False) -> QueuedDeviceEvent:
    return QueuedDeviceEvent(
        id=row.event_id,
        kind=DeviceEventType(row.kind),
        occurred_at=row.occurred_at,
        received_at=row.received_at,
        after=row.after,
        again=again,
        body=row.body,
    )
