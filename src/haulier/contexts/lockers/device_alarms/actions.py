"""Monitoring of a business's devices.

Alarms are raised, ended and notified. Running it again notifies nothing twice.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from haulier.contexts.identity.public import list_admin_ids
from haulier.contexts.lockers.device_alarms import store
from haulier.contexts.lockers.device_alarms.rules import (
    AT_ONCE,
    KEPT,
    LETTER_JOB,
    NOT_WATCHED,
    AlarmStatus,
    AlarmTerms,
    SendAlarmEmail,
    WatchedDevice,
    alarms_of,
    end_of,
    quiet_before,
)
from haulier.contexts.lockers.device_alarms.store import DeviceAlarmRow
from haulier.contexts.lockers.devices.queries import (
    get_watched_devices,
    has_active_devices,
    list_devices_in_trouble,
)
from haulier.contexts.lockers.events import DeviceAlarmChanged
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork


async def load_terms(work: UnitOfWork) -> AlarmTerms:
    """Return the alarm thresholds of the business."""
    row = await store.get_settings_row(work)
    if row is None:
        return AlarmTerms()
    return AlarmTerms(
        silent_min=row.silent_min,
        silent_kinds=row.silent_kinds,
        battery_pct=row.battery_pct,
        letters=row.letters,
    )


async def has_work(work: UnitOfWork) -> bool:
    """Return True if the client has devices to monitor, or alarms of unused devices."""
    return await has_active_devices(work) or bool(await store.list_live_page(work, after=0, limit=1))


async def begin_watch(call: Call) -> tuple[AlarmTerms, datetime | None]:
    """Record a monitoring round.

    Returns the terms and the time before which a device counts as silent.
    """
    terms, last = await load_terms(call.work), await store.get_watch_row(call.work)
    went_on = last is not None and call.now - last.watched_at < NOT_WATCHED
    since = last.listening_since if last and went_on else call.now
    await store.upsert_watch(call.work, watched_at=call.now, listening_since=since)
    return terms, quiet_before(terms, since, call.now)


async def raise_alarms(call: Call, terms: AlarmTerms, before: datetime | None, after: int) -> int | None:
    """Raise the alarms of a batch of devices after an id.

    Returns the last id, or None at the end.
    """
    devices = await list_devices_in_trouble(
        call,
        quiet_before=before,
        kinds=terms.silent_kinds,
        battery_below=terms.battery_pct,
        after=after,
        limit=AT_ONCE,
    )
    live = {(row.device_id, row.kind) for row in await store.list_live_alarms(call.work, [row.id for row in devices])}
    due = [
        (device, kind)
        for device in devices
        for kind in alarms_of(device, terms, before)
        if (device.id, kind.value) not in live
    ]
    if due:
        await store.delete_alarms_before(call.work, {device.id for device, _ in due}, call.now - KEPT)
        raised = await store.insert_alarms(call.work, [_new_alarm(call, device, kind) for device, kind in due])
        await _notify(call, terms, raised, AlarmStatus.RAISED)
    return devices[-1].id if len(devices) == AT_ONCE else None


async def end_alarms(call: Call, terms: AlarmTerms, after: int) -> int | None:
    """End the finished alarms of a batch after an id.

    Returns the last id, or None at the end.
    """
    live = await store.list_live_page(call.work, after=after, limit=AT_ONCE)
    devices = await get_watched_devices(call, {row.device_id for row in live})
    ends: defaultdict[AlarmStatus, list[int]] = defaultdict(list)
    for row in live:
        if how := end_of(row, devices.get(row.device_id), terms):
            ends[how].append(row.id)
    for how, ids in ends.items():
        await _notify(call, terms, await store.end_alarms(call.work, ids, how.value, call.now), how)
    return live[-1].id if len(live) == AT_ONCE else None


def _new_alarm(call: Call, device: WatchedDevice, kind: str) -> dict[str, object]:
    return {
        "device_id": device.id,
        "site_id": device.site_id,
        "kind": str(kind),
        "status": AlarmStatus.RAISED.value,
        "last_seen_at": device.last_seen_at,
        "battery_pct": device.battery_pct,
        "raised_at": call.now,
    }


async def _notify(call: Call, terms: AlarmTerms, rows: Sequence[DeviceAlarmRow], status: AlarmStatus) -> None:
    for row in rows:
        await call.publish(
            DeviceAlarmChanged(
                alarm_id=row.id,
                device_id=row.device_id,
                site_id=row.site_id,
                kind=row.kind,
                status=status.value,
                last_seen_at=row.last_seen_at,
                battery_pct=row.battery_pct,
            )
        )
    if not rows or not terms.letters or status is AlarmStatus.DROPPED:
        return
    # One email covers many alarms: a site without power silences all of its lockers at once.
    for user_id in await list_admin_ids(call):
        letter = SendAlarmEmail(user_id=user_id, alarm_ids=[row.id for row in rows], status=status)
        await call.enqueue(LETTER_JOB, letter)
