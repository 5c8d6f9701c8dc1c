"""The table of device events: every event once, with its status."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, String, UniqueConstraint, bindparam, delete, select, update

from haulier.contexts.driver_app.fields import EVENT_ID_MAX
from haulier.contexts.driver_app.offline_queue.rules import DeviceEventStatus, DeviceEventType, QueuedDeviceEvent
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

WAITING_MAX = 1_000
"""Maximum number of waiting events of a driver tried in one call, oldest first."""

device_events = tenant_table(
    "rider_event",
    Column("driver_id", Id, nullable=False),
    Column("event_id", String(EVENT_ID_MAX), nullable=False),
    Column("after", String(EVENT_ID_MAX)),
    Column("kind", String(20), nullable=False),
    Column("route_id", Id, nullable=False),
    Column("occurred_at", UTCDateTime, nullable=False),
    Column("device_at", UTCDateTime),
    Column("received_at", UTCDateTime, nullable=False),
    Column("settled_at", UTCDateTime),
    Column("status", String(10), nullable=False),
    Column("code", String(64)),
    Column("params", Json),
    Column("fields", Json),
    Column("body", Json, nullable=False),
    UniqueConstraint("client_id", "driver_id", "event_id"),
    Index(None, "client_id", "driver_id", "status"),
)
"""`code` and `params` say why an event was refused, or what it waits for, as a message of the catalogues; `fields` what is
wrong with it. `device_at` is the device's own time where the server corrected it."""
personal_data(
    device_events,
    RecordKind.DRIVER_EVENTS,
    by={"driver_id": PersonKey.DRIVER, "route_id": PersonKey.ROUTE},
    matches=lambda row, keys: (
        row.settled_at is not None
        and (row.driver_id in keys.get(PersonKey.DRIVER, ()) or row.body.get("stop_id") in keys.get(PersonKey.STOP, ()))
    ),
    erased={"params": None, "body": {}},
    plain=("event_id", "after", "kind", "status", "code", "fields"),
)
# After retention, a repeat finds its stop or route completed already.
retained(RecordKind.DRIVER_EVENTS, device_events.c.settled_at, default_days=90, minimum_days=30)


class DeviceEventStatusRow(Row):
    """The status of an event, with the message that explains it, and its content."""

    event_id: str
    kind: str
    after: str | None
    body: dict[str, Any]
    status: str
    code: str | None
    params: dict[str, Any] | None
    fields: list[str] | None
    occurred_at: datetime
    device_at: datetime | None


class DeviceEventRow(Row):
    """An event as it is stored."""

    event_id: str
    kind: str
    occurred_at: datetime
    received_at: datetime
    device_at: datetime | None
    after: str | None
    body: dict[str, Any]


_of_driver = device_events.c.driver_id == bindparam("driver")
_status_of_events = select(
    device_events.c.event_id,
    device_events.c.kind,
    device_events.c.after,
    device_events.c.body,
    device_events.c.status,
    device_events.c.code,
    device_events.c.params,
    device_events.c.fields,
    device_events.c.occurred_at,
    device_events.c.device_at,
).where(_of_driver, in_param(device_events.c.event_id, "ids"))
_waiting = (
    select(device_events)
    .where(_of_driver, device_events.c.status == DeviceEventStatus.WAITING)
    .order_by(device_events.c.occurred_at, device_events.c.id)
    .limit(WAITING_MAX)
)
_applied_returns = select(device_events).where(
    _of_driver,
    device_events.c.status == DeviceEventStatus.APPLIED,
    device_events.c.kind == DeviceEventType.RETURN_TO_DEPOT,
    in_param(device_events.c.route_id, "routes"),
)
_delete = delete(device_events).where(_of_driver, in_param(device_events.c.event_id, "ids"))
_settle = (
    update(device_events)
    .where(_of_driver, device_events.c.event_id == bindparam("event"))
    .values(
        status=bindparam("new_status"),
        code=bindparam("new_code"),
        params=bindparam("new_params", type_=Json()),
        fields=bindparam("new_fields", type_=Json()),
        settled_at=bindparam("at", type_=UTCDateTime()),
    )
)


async def get_known_events(
    work: UnitOfWork, driver_id: int, event_ids: Collection[str]
) -> dict[str, DeviceEventStatusRow]:
    """The status of those of these events that are stored, by event id."""
    if not event_ids:
        return {}
    rows = await work.all(_status_of_events, DeviceEventStatusRow, driver=driver_id, ids=sorted(set(event_ids)))
    return {row.event_id: row for row in rows}


async def delete_device_events(work: UnitOfWork, driver_id: int, event_ids: Collection[str]) -> None:
    """Delete events, so that the device can send them again."""
    if event_ids:
        await work.run(_delete, driver=driver_id, ids=sorted(event_ids))


async def insert_device_events(work: UnitOfWork, driver_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert new events with the status `waiting`.

    Raises `UniqueConflict` for an event that is stored already.
    """
    await work.insert_many(
        device_events, [{"driver_id": driver_id, "status": DeviceEventStatus.WAITING, **row} for row in rows]
    )


async def list_waiting_events(work: UnitOfWork, driver_id: int) -> list[QueuedDeviceEvent]:
    """A driver's events that wait, the earliest first."""
    return [_queued_device_event(row) for row in await work.all(_waiting, DeviceEventRow, driver=driver_id)]


async def list_applied_returns(work: UnitOfWork, driver_id: int, route_ids: Collection[int]) -> list[QueuedDeviceEvent]:
    """The returns to the depot that were applied on these routes, to be applied again."""
    if not route_ids:
        return []
    rows = await work.all(_applied_returns, DeviceEventRow, driver=driver_id, routes=sorted(route_ids))
    return [_queued_device_event(row, again=True) for row in rows]


async def update_event_verdicts(
    work: UnitOfWork, driver_id: int, rows: Sequence[Mapping[str, Any]], now: datetime
) -> None:
    """Update the status of events.

    Keys of a row: event, new_status, new_code, new_params, new_fields.
    """
    await work.run_many(
        _settle,
        [
            {"driver": driver_id, "at": now if row["new_status"] != DeviceEventStatus.WAITING else None, **row}
            for row in rows
        ],
    )


def _queued_device_event(row: DeviceEventRow, *, again: bool = False) -> QueuedDeviceEvent:
    return QueuedDeviceEvent(
        id=row.event_id,
        kind=DeviceEventType(row.kind),
        occurred_at=row.occurred_at,
        received_at=row.received_at,
        device_at=row.device_at,
        after=row.after,
        again=again,
        body=row.body,
    )
